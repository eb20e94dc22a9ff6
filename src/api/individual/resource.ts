import { defineResource } from '../../plugins/objects/server/define/declaration';
import { agreesWithAll } from '../../plugins/objects/server/define/agreement';
import { creator, keepHiddenFields } from '../../plugins/objects/server/define/rules';
import { collaborates, is } from '../../plugins/objects/server/rights/relations';
import { ownerBelongs } from '../org/owner-belongs';
import { callName, nameKeys, namesAgree } from './domain/names';
import { EDGES, MAX_RELATIONSHIPS, relationshipsAgree, TYPES } from './domain/relationships';
import { figures } from './figures';
import { merge } from './merge';

/** One animal that is recognized across encounters. Darwin Core: Organism. */
export default defineResource({
  uid: 'api::individual.individual',
  path: 'individual',
  term: 'Organism',
  description: 'One animal, known again.',
  displayName: 'name',
  picture: 'photo_id',
  relations: { own: is('owner'), editor: collaborates('owner', 'edit') },
  rights: {
    create: { user: 'all' },
    read: { anonymous: 'all if open', user: 'all' },
    update: { user: ['own', 'editor'] },
    delete: 'as update',
    history: { user: 'own' },
    merge: { user: 'own' },
  },
  fields: {
    owner: { fill: creator, written: [], description: 'Who keeps the record.' },
    names: {
      words: true,
      kind: 'individualNames',
      term: 'organismName',
      description:
        'What it is called, and where. A value is unique within a context and a taxon, without regard to case; one name at most is preferred.',
    },
    name: {
      sort: true,
      derived: true,
      derive: callName,
      description: 'The preferred of its names, else the first.',
    },
    taxonomy: {
      words: true,
      term: 'taxonID',
      onDelete: 'restrict',
      description: 'What it is, as precisely as is known.',
    },
    sex: { term: 'sex', description: 'Of the animal.' },
    living_status: { term: 'vitality', description: 'Whether it is alive.' },
    time_of_birth: {
      kind: 'time',
      description:
        'When it was born, as precisely as is known, in the forms of an encounter’s `time`.',
    },
    time_of_death: {
      kind: 'time',
      description: 'When it died, as precisely as is known, in the forms of an encounter’s `time`.',
    },
    relationships: {
      kind: 'relationships',
      to: 'individual',
      edges: EDGES,
      choices: TYPES,
      maxItems: MAX_RELATIONSHIPS,
      description:
        'What other individuals are to this one, written whole: an edge is shown on both sides, and who may update either of them may write it. `mother` and `father` are `offspring` on the other side; a new `offspring` needs the `sex` of this one.',
    },
    organizations: {
      term: 'institutionID',
      description:
        'The orgs that work with it. The owner belongs to each of them when it is added.',
    },
    photo_id: {
      kind: 'path',
      attach: 'update',
      description:
        'The path of an image that shows it. The caller needs the right to update the asset.',
    },
    remarks: {
      words: true,
      term: 'organismRemarks',
      description: 'Whatever else there is to say.',
    },
    tags: {
      words: true,
      kind: 'texts',
      fold: 'lower',
      distinct: true,
      maxLength: 100,
      description: 'Folded to lower case, each once.',
    },
    custom_fields: {
      kind: 'customFields',
      derive: keepHiddenFields('individual'),
      term: 'dynamicProperties',
      description:
        'The fields that the site settings define, by their keys. Written whole; what is retired or no longer defined stays unless it is sent as null.',
    },
    encounters: {
      kind: 'references',
      to: 'encounter',
      attach: 'update',
      maxItems: 1000,
      inverse: { type: 'encounter', field: 'individual', input: 'create' },
      description:
        'Its encounters, as far as the caller may read them, the newest first; at most 1,000. May be given on create, by who may update each of them; later it follows from `individual` of the encounters.',
    },
    encounter_count: {
      sort: true,
      derived: true,
      figure: { public: 'publicEncounterCount' },
      description:
        'How many encounters there are of it: for moderators and administrators all, for everybody else the approved ones.',
    },
    first_seen: {
      sort: true,
      kind: 'time',
      derived: true,
      figure: { public: 'publicFirstSeen' },
      description:
        'The time of the earliest of these encounters, as a stranger is told it; for moderators and administrators exactly.',
    },
    last_seen: {
      sort: true,
      kind: 'time',
      derived: true,
      figure: { public: 'publicLastSeen' },
      description: 'The time of the latest of them, in the same way.',
    },
    merged_into: {
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
  ],
  kept: [figures],
});
