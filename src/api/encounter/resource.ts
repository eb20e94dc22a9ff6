import { defineResource } from '../../plugins/objects/server/define/declaration';
import { fromAsset } from '../../plugins/assets/server/from-assets';
import { bothOrNeither, creator } from '../../plugins/objects/server/define/rules';
import { claimed, is, where } from '../../plugins/objects/server/rights/relations';
import { initialState, unshownStay } from './domain/defaults';
import { importKey } from './domain/import-key';

/**
 * One meeting with one animal, or one group that is not told apart, at one time and place. Darwin
 * Core: Occurrence.
 */
export default defineResource({
  uid: 'api::encounter.encounter',
  path: 'encounter',
  term: 'Occurrence',
  description:
    'One meeting with one animal, or one group that is not told apart, at one time and place.',
  displayName: 'time',
  relations: {
    own: is('owner'),
    approved: where({ state: 'approved' }),
    claimant: claimed({ state: 'pending' }),
  },
  rights: {
    create: { anonymous: 'all if reports', user: 'all' },
    read: { anonymous: ['approved if open', 'claimant'], user: ['approved', 'own', 'claimant'] },
    update: { user: 'own' },
    delete: 'as update',
  },
  fields: {
    owner: {
      fill: creator,
      term: 'recordedByID',
      written: [],
      description: 'Who reported it; null if that was anonymous.',
    },
    submitter_email: {
      seen: [],
      written: [],
      onCreate: true,
      description: 'The address that came with an anonymous report.',
    },
    event_id: {
      kind: 'uuid',
      term: 'eventID',
      description: "Of the caller's making; encounters of one sighting share it.",
    },
    individual: {
      kind: 'reference',
      to: 'individual',
      term: 'organismID',
      description: 'The animal, where it is known again.',
    },
    taxonomy: {
      term: 'taxonID',
      onDelete: 'restrict',
      description: 'What was met, as precisely as is known.',
    },
    organizations: {
      kind: 'references',
      to: 'org',
      term: 'institutionID',
      description: 'The orgs that it is shared with.',
    },
    time: {
      kind: 'time',
      fill: fromAsset('time'),
      term: 'eventDate',
      description:
        'When, as precisely as is known: ISO 8601 in the forms of EDTF level 0, or an interval of two of them. An offset is kept as it was given.',
    },
    verbatim_time: { term: 'verbatimEventDate', description: 'The time as it was written down.' },
    latitude: {
      fill: fromAsset('latitude'),
      term: 'decimalLatitude',
      description: 'Degrees, WGS 84. With `longitude` or not at all.',
    },
    longitude: {
      fill: fromAsset('longitude'),
      term: 'decimalLongitude',
      description: 'Degrees, WGS 84. With `latitude` or not at all.',
    },
    coordinate_uncertainty: {
      term: 'coordinateUncertaintyInMeters',
      description: 'The radius around the position within which it was, in metres.',
    },
    location_id: {
      kind: 'region',
      term: 'locationID',
      description: 'The key of a region of the site settings.',
    },
    locality: { term: 'verbatimLocality', description: 'The place in words.' },
    country_code: {
      kind: 'country',
      term: 'countryCode',
      description: 'ISO 3166-1 alpha-2; kept in upper case.',
    },
    elevation: { term: 'minimumElevationInMeters', description: 'Metres above sea level.' },
    depth: { term: 'minimumDepthInMeters', description: 'Metres below the surface.' },
    location_privacy: {
      description:
        'How precisely strangers are told where it was; null as the taxon and the site say.',
    },
    generalized: {
      kind: 'choice',
      choices: ['obscured', 'private'],
      derived: true,
      awaits: 'privacy',
      term: 'dataGeneralizations',
      description:
        'What the position and time given here are generalized to; null when they are as stored.',
    },
    sex: { term: 'sex', description: 'Of the animal.' },
    life_stage: { term: 'lifeStage', description: 'Of the animal, at that time.' },
    living_status: { term: 'vitality', description: 'Whether it was alive.' },
    group_size: { term: 'individualCount', description: 'How many animals the group had.' },
    behavior: { term: 'behavior', description: 'What it did.' },
    basis_of_record: { term: 'basisOfRecord', description: 'What the record rests on.' },
    observers: {
      kind: 'texts',
      term: 'recordedBy',
      maxLength: 200,
      description: 'The names of those who saw it.',
    },
    sampling_protocol: { term: 'samplingProtocol', description: 'How it came to be met.' },
    measurements: {
      kind: 'measurements',
      term: 'MeasurementOrFact',
      description: 'What was measured: type, value and unit.',
    },
    tags: {
      kind: 'texts',
      fold: 'lower',
      distinct: true,
      maxLength: 100,
      description: 'Folded to lower case, each once.',
    },
    remarks: { term: 'occurrenceRemarks', description: 'Whatever else there is to say.' },
    assets: {
      attach: 'update',
      term: 'associatedMedia',
      description: 'Its photographs, in order. Only who may update an asset may add it here.',
    },
    from_assets: {
      kind: 'boolean',
      input: 'create',
      description: 'Fills an absent time and position from the first of `assets` (EXIF).',
    },
    claims: {
      kind: 'texts',
      input: 'create',
      minLength: 1,
      maxLength: 100,
      description: 'What uploads without a login have answered: the right to add them here.',
    },
    license: { term: 'license', description: 'Under which the record may be used.' },
    source: {
      written: [],
      term: 'datasetID',
      description:
        'The dataset that it was imported from. Written by moderators and imports alone.',
    },
    external_id: {
      term: 'catalogNumber',
      description: 'Its ID there: unique per `source`, or per owner where there is no source.',
    },
    custom_fields: {
      kind: 'customFields',
      derive: unshownStay,
      term: 'dynamicProperties',
      description:
        'The fields that the site settings define, by their keys. Written whole; what is retired or no longer defined stays unless it is sent as null.',
    },
    state: {
      derived: true,
      fill: initialState,
      term: 'identificationVerificationStatus',
      description: 'Where it is in the review.',
    },
    review_note: {
      derived: true,
      awaits: 'review',
      seen: ['own'],
      description: 'What the reviewer says to the owner.',
    },
  },
  unique: [
    {
      attribute: 'importKey',
      fields: ['source', 'external_id'],
      dependsOn: ['owner'],
      key: importKey,
    },
  ],
  rules: [bothOrNeither('latitude', 'longitude')],
});
