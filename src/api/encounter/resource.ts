import { defineResource } from '../../plugins/objects/server/declare/declaration';
import {
  adopts,
  both,
  claimed,
  collaborates,
  is,
  memberOf,
  sent,
  told,
  where,
} from '../../plugins/objects/server/declare/relations';
import { claimAction, claimField, endWithAdoption } from './claim';
import { tellDecision } from './decision-mail';
import { initialState } from './domain/computed-values';
import { imported } from './imported';
import { endClaims, resubmitter, review } from './review';
import { searched } from './searched';
import { verbatim } from './verbatim';
import { BASIS_OF_RECORD } from './vocabulary';
import { tellTimeAhead } from '../../plugins/assets/server/from-assets';
import { tellsPhotograph } from '../asset/level';
import { LICENSE } from '../asset/license';
import { keepLeaving, keepRemoved, photographs } from '../asset/photographs';
import { ownerBelongs } from '../org/owner-belongs';
import { effectivePrivacy } from '../taxonomy/privacy';
import { generalizeAnew, generalized, generalizedAnew } from './generalized';
import { placeFields } from './place-fields';
import { learnsProtection, protectedAs } from './protected-as';
import { learnsLevel } from './settle-telling';
import { encounters, toldLate } from './telling';
import {
  customFieldsField,
  encounterViews,
  HIDDEN,
  OWNERS,
  photographsField,
  SHOWN,
} from './privacy';
import { agreesAlong } from '../../plugins/objects/server/define/agreement';
import {
  bothOrNeither,
  creator,
  keepHiddenFields,
} from '../../plugins/objects/server/validate/rules';

/** One observation of one animal, or of a group, at one time and place. Darwin Core: Occurrence. */
export default defineResource({
  uid: 'api::encounter.encounter',
  path: 'encounter',
  term: 'Occurrence',
  description:
    'One observation of one animal, or of a group whose animals are not distinguished, at one time and place.',
  displayName: 'time',
  manyAtOnce: true,
  relations: {
    own: is('owner'),
    approved: both(where({ state: 'approved' }), told),
    reporter: both(where({ state: 'approved' }), sent('owner')),
    claimant: claimed({ state: 'pending' }),
    adopter: adopts('owner'),
    viewer: collaborates('owner'),
    editor: collaborates('owner', 'edit'),
    member: memberOf('organizations'),
    resubmitter,
  },
  rights: {
    create: { anonymous: 'all if reports', user: 'all' },
    read: {
      anonymous: ['approved if open', 'claimant', 'reporter'],
      user: ['approved', 'own', 'viewer', 'member', 'claimant', 'reporter'],
    },
    update: { user: ['own', 'editor'] },
    delete: 'as update',
    review: { user: 'own' },
    claim: { user: 'adopter', moderator: 'adopter', administrator: 'adopter' },
    history: { user: 'own' },
  },
  // A moderator may do something in every state.
  offered: { review: { user: 'resubmitter' } },
  actions: { review, claim: claimAction },
  views: encounterViews,
  searched,
  fields: {
    owner: {
      views: OWNERS,
      links: 'person',
      fill: creator,
      term: 'recordedByID',
      written: [],
      description: 'Who reported it; null if that was anonymous.',
    },
    submitter_email: {
      views: HIDDEN,
      seen: [],
      written: [],
      onCreate: true,
      description:
        'The e-mail address that was given with an anonymous report. The decision of its review is mailed to it.',
    },
    event_id: {
      views: HIDDEN,
      kind: 'uuid',
      term: 'eventID',
      description: 'A UUID that the caller chooses; encounters of one sighting share it.',
    },
    individual: {
      words: true,
      views: HIDDEN,
      term: 'organismID',
      description: 'The individual, if it has been identified.',
    },
    taxonomy: {
      words: true,
      views: SHOWN,
      links: 'class',
      term: 'taxonID',
      onDelete: 'restrict',
      description: 'The taxon, as precisely as it is known.',
    },
    organizations: {
      views: OWNERS,
      links: 'person',
      term: 'institutionID',
      description:
        'The orgs that it is shared with: their members see it. The owner belongs to each of them when it is added.',
    },
    ...placeFields,
    sex: { views: SHOWN, links: 'class', term: 'sex', description: 'Of the animal.' },
    life_stage: {
      views: SHOWN,
      links: 'class',
      term: 'lifeStage',
      description: 'Of the animal, at that time.',
    },
    living_status: {
      views: SHOWN,
      links: 'class',
      term: 'vitality',
      description: 'Whether it was alive.',
    },
    group_size: {
      views: HIDDEN,
      term: 'individualCount',
      description: 'How many animals the group had.',
    },
    behavior: { words: true, views: HIDDEN, term: 'behavior', description: 'What the animal did.' },
    basis_of_record: { views: SHOWN, links: 'class', ...BASIS_OF_RECORD },
    observers: {
      words: true,
      views: HIDDEN,
      kind: 'texts',
      term: 'recordedBy',
      maxLength: 200,
      description: 'The names of those who saw it.',
    },
    sampling_protocol: {
      views: HIDDEN,
      term: 'samplingProtocol',
      description: 'The method of the observation.',
    },
    measurements: {
      views: HIDDEN,
      kind: 'measurements',
      term: 'MeasurementOrFact',
      description: 'What was measured: type, value and unit.',
    },
    tags: {
      words: true,
      views: HIDDEN,
      kind: 'texts',
      fold: 'lower',
      distinct: true,
      maxLength: 100,
      description: 'Folded to lower case, each once.',
    },
    remarks: {
      words: true,
      views: HIDDEN,
      term: 'occurrenceRemarks',
      description: 'Further remarks.',
    },
    assets: {
      views: photographsField,
      links: 'animal',
      told: tellsPhotograph,
      attach: 'update',
      term: 'associatedMedia',
      description:
        'Its photographs, in order. Of an open encounter, strangers see a photograph unless the same file is at an encounter that is not open. Of an encounter that is not open, the site setting `hidden_tells` decides. Only a caller who may update an asset may add it.',
    },
    from_assets: {
      views: HIDDEN,
      kind: 'boolean',
      input: 'create',
      description: 'Fills an absent time and position from the first of `assets` (EXIF).',
    },
    claims: {
      views: HIDDEN,
      kind: 'texts',
      input: 'create',
      minLength: 1,
      maxLength: 100,
      description:
        'The claims from the answers to uploads without a login; each permits adding its asset here.',
    },
    claim: { views: HIDDEN, ...claimField },
    license: {
      views: SHOWN,
      links: 'class',
      ...LICENSE,
      description: 'Under which the record may be used.',
    },
    source: {
      views: OWNERS,
      links: 'person',
      written: [],
      term: 'datasetID',
      description:
        'The dataset that it was imported from. Written by moderators and imports alone.',
    },
    external_id: {
      words: true,
      sort: true,
      views: HIDDEN,
      term: 'catalogNumber',
      description:
        'Its ID in that dataset: unique per `source`, or per owner where there is no source.',
    },
    custom_fields: {
      views: customFieldsField,
      links: 'class',
      kind: 'customFields',
      derive: keepHiddenFields('encounter'),
      term: 'dynamicProperties',
      description:
        'The fields that the site settings define, by their keys. Replaced as a whole; values of fields that are retired or no longer defined are kept unless sent as null.',
    },
    verbatim,
    state: {
      sort: true,
      views: SHOWN,
      links: 'class',
      derived: true,
      fill: initialState,
      term: 'identificationVerificationStatus',
      description: 'Its state in the review.',
    },
    review_note: {
      views: HIDDEN,
      derived: true,
      given: true,
      seen: ['own'],
      description: "The reviewer's note to the owner.",
    },
  },
  unique: [imported],
  rules: [
    bothOrNeither('latitude', 'longitude'),
    ownerBelongs,
    learnsProtection,
    learnsLevel,
    tellTimeAhead,
    agreesAlong('encounter.individual', 'taxonomy'),
  ],
  beforeDelete: [keepLeaving],
  consequences: [endClaims, endWithAdoption, keepRemoved, tellDecision],
  // In this order: what is generalized depends on the levels of taxa and on what encounters are protected as, and the levels
  // of photographs on it.
  kept: [
    effectivePrivacy,
    protectedAs(generalizeAnew),
    generalized,
    generalizedAnew,
    photographs,
    toldLate('encounter', encounters),
  ],
});
