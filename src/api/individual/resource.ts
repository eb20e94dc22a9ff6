import { defineResource } from '../../plugins/objects/server/declare/declaration';
import { agreesWithAll } from '../../plugins/objects/server/define/agreement';
import { creator, keepHiddenFields } from '../../plugins/objects/server/validate/rules';
import { collaborates, is, memberOf, told } from '../../plugins/objects/server/declare/relations';
import { HIDDEN, OWNERS, SHOWN } from '../encounter/privacy';
import { toldLate } from '../encounter/telling';
import { ownerBelongs } from '../org/owner-belongs';
import { callName, nameKeys, namesAgree } from './domain/names';
import { diesAfterBirth, kinAgrees } from './domain/kin';
import { EDGES, MAX_RELATIONSHIPS, relationshipsAgree, TYPES } from './domain/relationships';
import { figures, figuresOfOwners } from './figures';
import { merge } from './merge';
import { individualTelling, individuals, learnsIndividualLevel } from './telling';
import { customFieldsInViews, individualViews, witness, yearOf } from './privacy';
import { IS_WAITING } from '../encounter/privacy-jobs';

/** Who reads figures with the encounters that its owner has reported, too. */
const KEEPERS = ['own', 'viewer'];

/** One animal that is recognized across encounters. Darwin Core: Organism. */
export default defineResource({
  uid: 'api::individual.individual',
  path: 'individual',
  term: 'Organism',
  description: 'One animal, known again.',
  displayName: 'name',
  picture: 'photo_id',
  summary: ['sex', 'taxonomy'],
  suggested: { names: ['names'], beside: ['taxonomy'] },
  relations: {
    own: is('owner'),
    viewer: collaborates('owner'),
    editor: collaborates('owner', 'edit'),
    member: memberOf('organizations'),
    witness,
    told,
  },
  rights: {
    create: { user: 'all' },
    read: {
      anonymous: ['told if open', 'witness if open'],
      user: ['told', 'own', 'viewer', 'member', 'witness'],
    },
    update: { user: ['own', 'editor'] },
    delete: 'as update',
    history: { user: 'own' },
    merge: { user: 'own' },
  },
  seen: { version: ['own'], created_at: ['own'], updated_at: ['own'] },
  views: individualViews,
  // Of one animal: what is told of it leads to open encounters alone. So a value that only it has (a name, a relationship, its
  // portrait) links no hidden encounter to an open one.
  fields: {
    owner: {
      views: OWNERS,
      links: 'person',
      fill: creator,
      written: [],
      description: 'Who keeps the record.',
    },
    names: {
      views: SHOWN,
      links: 'class',
      words: true,
      kind: 'individualNames',
      term: 'organismName',
      description:
        'What it is called, and where. A value is unique within a context and a taxon, without regard to case; one name at most is preferred.',
    },
    name: {
      views: SHOWN,
      links: 'class',
      sort: true,
      derived: true,
      derive: callName,
      description: 'The preferred of its names, else the first.',
    },
    taxonomy: {
      views: SHOWN,
      links: 'class',
      words: true,
      term: 'taxonID',
      onDelete: 'restrict',
      description: 'What it is, as precisely as is known.',
    },
    sex: { views: SHOWN, links: 'class', term: 'sex', description: 'Of the animal.' },
    living_status: {
      views: SHOWN,
      links: 'class',
      term: 'vitality',
      description: 'Whether it is alive.',
    },
    time_of_birth: {
      views: yearOf('time_of_birth', 'publicTimeOfBirth'),
      links: 'animal',
      kind: 'time',
      description:
        'When it was born, as precisely as is known, in the forms of an encounter’s `time`.',
    },
    time_of_death: {
      views: yearOf('time_of_death', 'publicTimeOfDeath'),
      links: 'animal',
      kind: 'time',
      description: 'When it died, as precisely as is known, in the forms of an encounter’s `time`.',
    },
    relationships: {
      views: SHOWN,
      links: 'class',
      kind: 'relationships',
      to: 'individual',
      edges: EDGES,
      choices: TYPES,
      maxItems: MAX_RELATIONSHIPS,
      description:
        'What other individuals are to this one, written whole: an edge is shown on both sides, and who may update either of them may write it. `mother` and `father` are `offspring` on the other side; a new `offspring` needs the `sex` of this one. At most one mother and one father, a mother is not male nor a father female, and nobody descends from itself.',
    },
    organizations: {
      views: OWNERS,
      links: 'person',
      term: 'institutionID',
      description:
        'The orgs that work with it. The owner belongs to each of them when it is added.',
    },
    photo_id: {
      views: SHOWN,
      links: 'class',
      kind: 'path',
      attach: 'update',
      description:
        'The path of an image that shows it. The caller needs the right to update the asset.',
    },
    remarks: {
      views: HIDDEN,
      words: true,
      term: 'organismRemarks',
      description: 'Whatever else there is to say.',
    },
    tags: {
      views: HIDDEN,
      words: true,
      kind: 'texts',
      fold: 'lower',
      distinct: true,
      maxLength: 100,
      description: 'Folded to lower case, each once.',
    },
    custom_fields: {
      views: customFieldsInViews,
      links: 'class',
      kind: 'customFields',
      derive: keepHiddenFields('individual'),
      term: 'dynamicProperties',
      description:
        'The fields that the site settings define, by their keys. Written whole; what is retired or no longer defined stays unless it is sent as null.',
    },
    encounters: {
      views: SHOWN,
      links: 'class',
      kind: 'references',
      to: 'encounter',
      attach: 'update',
      maxItems: 1000,
      inverse: { type: 'encounter', field: 'individual', input: 'create' },
      description:
        'Its encounters, as far as the caller may read them, the newest first; at most 1,000. May be given on create, by who may update each of them; later it follows from `individual` of the encounters.',
    },
    encounter_count: {
      views: HIDDEN,
      sort: true,
      derived: true,
      figure: {
        public: 'publicEncounterCount',
        wider: { attribute: 'ownEncounterCount', seen: KEEPERS },
        isWithheld: IS_WAITING,
      },
      description:
        'How many encounters there are of it: for moderators and administrators all, for everybody else the approved ones that are open, and for its owner and collaborators the own ones too. Filters and sort go by the first two.',
    },
    first_seen: {
      views: HIDDEN,
      sort: true,
      kind: 'time',
      derived: true,
      figure: {
        public: 'publicFirstSeen',
        wider: { attribute: 'ownFirstSeen', seen: KEEPERS },
        isWithheld: IS_WAITING,
      },
      description: 'The time of the earliest of these encounters.',
    },
    last_seen: {
      views: HIDDEN,
      sort: true,
      kind: 'time',
      derived: true,
      figure: {
        public: 'publicLastSeen',
        wider: { attribute: 'ownLastSeen', seen: KEEPERS },
        isWithheld: IS_WAITING,
      },
      description: 'The time of the latest of them.',
    },
    ...individualTelling,
    merged_into: {
      views: SHOWN,
      links: 'class',
      derived: true,
      given: true,
      onDelete: 'delete',
      description:
        'The individual that this one was merged into: always one that was not merged itself. A read then answers this and the ID alone.',
    },
  },
  mergedInto: 'merged_into',
  actions: { merge },
  uniqueRecords: [{ table: 'oms_individual_names', fields: ['names', 'taxonomy'], keys: nameKeys }],
  rules: [
    namesAgree,
    ownerBelongs,
    agreesWithAll('encounter.individual', 'taxonomy', 'encounters'),
    relationshipsAgree,
    kinAgrees,
    diesAfterBirth,
    learnsIndividualLevel,
  ],
  kept: [figures, figuresOfOwners, toldLate('individual', individuals)],
});
