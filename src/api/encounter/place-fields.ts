/** When and where an encounter was, and how precisely strangers are told so. */
import { fromAsset } from '../../plugins/assets/server/from-assets';
import type { FieldDeclaration } from '../../plugins/objects/server/declare/declaration';
import { LOCATION_PRIVACIES } from '../../plugins/objects/server/site/settings';
import { HIDDEN, levelField, levelNameOf, placeField, timeField } from './privacy';
import { settleProtection } from './protected-as';
import { encounterTelling } from './settle-telling';
import { GENERALIZATIONS } from './vocabulary';

export const placeFields: Readonly<Record<string, FieldDeclaration>> = {
  time: {
    sort: true,
    views: timeField,
    links: 'animal',
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
    links: 'animal',
    fill: fromAsset('latitude'),
    term: 'decimalLatitude',
    description: 'Degrees, WGS 84. With `longitude` or not at all.',
  },
  longitude: {
    views: placeField('longitude'),
    links: 'animal',
    fill: fromAsset('longitude'),
    term: 'decimalLongitude',
    description: 'Degrees, WGS 84. With `latitude` or not at all.',
  },
  coordinate_uncertainty: {
    views: placeField('coordinate_uncertainty'),
    links: 'animal',
    term: 'coordinateUncertaintyInMeters',
    description: 'The radius around the position within which it was, in metres.',
  },
  location_id: {
    views: placeField('location_id'),
    links: 'animal',
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
    views: HIDDEN,
    term: 'accessRights',
    description: 'How precisely the public sees the place; null: as the taxon or site specifies.',
  },
  protected_as: {
    views: HIDDEN,
    seen: ['own'],
    derived: true,
    settle: settleProtection,
    onDelete: 'restrict',
    description:
      'The taxon by which its individual protects it. It is set when the encounter is created, when its taxon or individual is changed, when a moderator changes the taxon of the individual, and when the individual gets a protected taxon. Other changes of the individual leave it.',
  },
  level: {
    views: HIDDEN,
    seen: ['own'],
    kind: 'choice',
    choices: LOCATION_PRIVACIES,
    derived: true,
    computed: levelNameOf,
    description:
      'How precisely strangers are told where and when it was, by its own `location_privacy`, its taxon, its individual and the site.',
  },
  ...encounterTelling,
  generalized: {
    views: levelField,
    links: 'class',
    kind: 'choice',
    derived: true,
    ...GENERALIZATIONS,
    description:
      'How far the position and time in this answer are generalized; null if they are as stored.',
  },
};
