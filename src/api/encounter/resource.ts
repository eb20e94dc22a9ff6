import { defineResource } from '../../plugins/objects/server/define/declaration';
import { fromAsset } from '../../plugins/assets/server/from-assets';
import {
  claimed,
  collaborates,
  is,
  memberOf,
  where,
} from '../../plugins/objects/server/rights/relations';
import { initialState } from './domain/computed-values';
import { imported } from './imported';
import { endClaims, resubmitter, review } from './review';
import { searched } from './searched';
import { BASIS_OF_RECORD, GENERALIZATIONS } from './vocabulary';
import { LICENSE } from '../asset/license';
import { ownerBelongs } from '../org/owner-belongs';
import { effectivePrivacy } from '../taxonomy/privacy';
import { generalized, generalizedAnew } from './generalized';
import {
  customFieldsField,
  encounterViews,
  HIDDEN,
  levelField,
  placeField,
  SHOWN,
  timeField,
} from './privacy';
import { agreesAlong } from '../../plugins/objects/server/define/agreement';
import {
  bothOrNeither,
  creator,
  keepHiddenFields,
} from '../../plugins/objects/server/define/rules';

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
    approved: where({ state: 'approved' }),
    claimant: claimed({ state: 'pending' }),
    viewer: collaborates('owner'),
    editor: collaborates('owner', 'edit'),
    member: memberOf('organizations'),
    resubmitter,
  },
  rights: {
    create: { anonymous: 'all if reports', user: 'all' },
    read: {
      anonymous: ['approved if open', 'claimant'],
      user: ['approved', 'own', 'viewer', 'member', 'claimant'],
    },
    update: { user: ['own', 'editor'] },
    delete: 'as update',
    review: { user: 'own' },
    history: { user: 'own' },
  },
  // A moderator may do something in every state.
  offered: { review: { user: 'resubmitter' } },
  actions: { review },
  views: encounterViews,
  searched,
  fields: {
    owner: {
      views: SHOWN,
      fill: creator,
      term: 'recordedByID',
      written: [],
      description: 'Who reported it; null if that was anonymous.',
    },
    submitter_email: {
      views: SHOWN,
      seen: [],
      written: [],
      onCreate: true,
      description: 'The e-mail address that was given with an anonymous report.',
    },
    event_id: {
      views: HIDDEN,
      kind: 'uuid',
      term: 'eventID',
      description: 'A UUID that the caller chooses; encounters of one sighting share it.',
    },
    individual: {
      words: true,
      views: SHOWN,
      term: 'organismID',
      description: 'The individual, if it has been identified.',
    },
    taxonomy: {
      words: true,
      views: SHOWN,
      term: 'taxonID',
      onDelete: 'restrict',
      description: 'The taxon, as precisely as it is known.',
    },
    organizations: {
      views: SHOWN,
      term: 'institutionID',
      description:
        'The orgs that it is shared with: their members see it. The owner belongs to each of them when it is added.',
    },
    time: {
      sort: true,
      views: timeField,
      kind: 'time',
      fill: fromAsset('time'),
      term: 'eventDate',
      description:
        'The time, as precisely as it is known: ISO 8601 in the forms of EDTF level 0, or an interval of two of them. An offset is kept as it was given.',
    },
    verbatim_time: {
      views: HIDDEN,
      term: 'verbatimEventDate',
      description: 'The time as it was written down.',
    },
    latitude: {
      views: placeField('latitude'),
      fill: fromAsset('latitude'),
      term: 'decimalLatitude',
      description: 'Degrees, WGS 84. With `longitude` or not at all.',
    },
    longitude: {
      views: placeField('longitude'),
      fill: fromAsset('longitude'),
      term: 'decimalLongitude',
      description: 'Degrees, WGS 84. With `latitude` or not at all.',
    },
    coordinate_uncertainty: {
      views: placeField('coordinate_uncertainty'),
      term: 'coordinateUncertaintyInMeters',
      description: 'The radius around the position within which it was, in metres.',
    },
    location_id: {
      views: placeField('location_id'),
      kind: 'region',
      term: 'locationID',
      description: 'The key of a region of the site settings.',
    },
    locality: {
      words: true,
      views: HIDDEN,
      term: 'verbatimLocality',
      description: 'Place in words.',
    },
    country_code: {
      views: HIDDEN,
      kind: 'country',
      term: 'countryCode',
      description: 'ISO 3166-1 alpha-2; kept in upper case.',
    },
    elevation: {
      views: HIDDEN,
      term: 'minimumElevationInMeters',
      description: 'Metres above sea level.',
    },
    depth: {
      views: HIDDEN,
      term: 'minimumDepthInMeters',
      description: 'Metres below the surface.',
    },
    location_privacy: {
      views: SHOWN,
      term: 'accessRights',
      description: 'How precisely the public sees the place; null: as the taxon or site specifies.',
    },
    generalized: {
      views: levelField,
      kind: 'choice',
      derived: true,
      ...GENERALIZATIONS,
      description:
        'How far the position and time in this answer are generalized; null if they are as stored.',
    },
    sex: { views: SHOWN, term: 'sex', description: 'Of the animal.' },
    life_stage: { views: SHOWN, term: 'lifeStage', description: 'Of the animal, at that time.' },
    living_status: { views: SHOWN, term: 'vitality', description: 'Whether it was alive.' },
    group_size: {
      views: SHOWN,
      term: 'individualCount',
      description: 'How many animals the group had.',
    },
    behavior: { words: true, views: HIDDEN, term: 'behavior', description: 'What the animal did.' },
    basis_of_record: {
      views: SHOWN,
      ...BASIS_OF_RECORD,
      description: 'The kind of evidence of the record.',
    },
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
      views: SHOWN,
      attach: 'update',
      term: 'associatedMedia',
      description: 'Its photographs, in order. Only a caller who may update an asset may add it.',
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
    license: { views: SHOWN, ...LICENSE, description: 'Under which the record may be used.' },
    source: {
      views: SHOWN,
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
      kind: 'customFields',
      derive: keepHiddenFields('encounter'),
      term: 'dynamicProperties',
      description:
        'The fields that the site settings define, by their keys. Replaced as a whole; values of fields that are retired or no longer defined are kept unless sent as null.',
    },
    state: {
      sort: true,
      views: SHOWN,
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
    agreesAlong('encounter.individual', 'taxonomy'),
  ],
  consequences: [endClaims],
  // In this order: what is generalized depends on the levels of taxa.
  kept: [effectivePrivacy, generalized, generalizedAnew],
});
