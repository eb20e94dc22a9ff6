/** The calls of the examples, in their order: one story, at the end of which nothing of it is left. */

import { MERGED, REFUSED } from './refusal-steps';

/** One call. */
export interface Step {
  /** The operation whose example it is; absent where it only prepares others. */
  readonly id?: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v0`. */
  readonly path: string;
  /** Whose session it carries. */
  readonly as?: string;
  /** The name of the claim that it carries. */
  readonly claim?: string;
  readonly body?: object;
  readonly isUpload?: boolean;
  /** The key, without its prefix, with which it is refused: its answer is the example of that. */
  readonly refused?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its answer is no JSON. */
  readonly isText?: boolean;
  /** What later calls need of `response`, by name. */
  readonly keep?: Readonly<Record<string, string>>;
}

const PASSWORD = 'a meadow at night';
const EMAIL = 'maya.okello@example.org';

/** The calls that every type has, of an object that is there. @param one its name among what is kept */
const reads = (
  type: string,
  query: string,
  columns: string,
  as = 'maya',
  search = '',
): readonly Step[] => {
  const name = type.charAt(0).toUpperCase() + type.slice(1);
  return [
    { id: `read${name}`, path: `${type}/{${type}}`, as },
    { id: `read${name}History`, path: `${type}/{${type}}/history?limit=1`, as },
    { id: `search${name}`, path: `search/${type}?${query}&limit=1${search}`, as },
    {
      id: `export${name}`,
      path: `export/${type}?format=csv&fields=${columns}&${query}`,
      as,
      isText: true,
    },
  ];
};

const change = (
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  id: string,
  as: string,
  rest: Omit<Step, 'method' | 'path' | 'id' | 'as'> = {},
): Step => ({ id, method, path, as, ...rest });

const ACCOUNT: readonly Step[] = [
  {
    id: 'createUser',
    method: 'POST',
    path: 'user',
    body: { name: 'Maya Okello', email: EMAIL, password: PASSWORD },
    keep: { user: 'id' },
  },
  {
    id: 'login',
    method: 'POST',
    path: 'login',
    body: { username: EMAIL, password: PASSWORD },
    keep: { maya_bearer: 'cookie' },
  },
  { id: 'session', path: 'session', as: 'maya' },
  { id: 'sessions', path: 'sessions', as: 'maya' },
  change('PUT', 'user/{user}', 'updateUser', 'maya', {
    body: { affiliation: 'Mara Research Camp' },
  }),
  ...reads('user', 'id={user}', 'name,affiliation'),
  { id: 'reset', method: 'POST', path: 'reset', body: { email: EMAIL } },
  { id: 'verify', method: 'POST', path: 'verify', body: { email: EMAIL } },
  change('POST', 'password', 'password', 'maya', {
    body: { current_password: PASSWORD, password: 'a river at dawn' },
  }),
];

const TAXON: readonly Step[] = [
  change('POST', 'taxonomy', 'createTaxonomy', 'moderator', {
    body: {
      scientific_name: 'Giraffa tippelskirchi',
      rank: 'species',
      vernacular_names: { en: 'Masai giraffe', es: 'jirafa masái', fr: 'girafe masaï' },
    },
    keep: { taxonomy: 'id' },
  }),
  change('PUT', 'taxonomy/{taxonomy}', 'updateTaxonomy', 'moderator', {
    body: { authorship: 'Matschie, 1898' },
  }),
  ...reads(
    'taxonomy',
    'scientific_name=Giraffa tippelskirchi',
    'scientific_name,rank',
    'moderator',
  ),
];

const ORG: readonly Step[] = [
  change('POST', 'org', 'createOrg', 'maya', {
    body: { name: 'Mara Research Camp', website: 'https://mara.example.org', country_code: 'KE' },
    keep: { org: 'id' },
  }),
  change('PUT', 'org/{org}', 'updateOrg', 'maya', {
    body: { description: 'Giraffes of the Mara.' },
  }),
  change('POST', 'org/{org}/join', 'joinOrg', 'colleague', { body: {} }),
  change('POST', 'org/{org}/member', 'memberOrg', 'maya', {
    body: { user: '{colleague}', role: 'member' },
  }),
  ...reads('org', 'id={org}', 'name,member_count'),
  { id: 'searchHistory', path: 'search/history?object={org}&limit=1', as: 'administrator' },
  change('POST', 'org/{org}/leave', 'leaveOrg', 'colleague', { body: {} }),
];

const PHOTOGRAPH: readonly Step[] = [
  change('POST', 'asset', 'createAsset', 'maya', {
    isUpload: true,
    body: { file: 'elephant.jpg', alt_text: { en: 'An elephant at dusk' }, license: 'CC-BY-4.0' },
    keep: { asset: 'id' },
  }),
  change('PUT', 'asset/{asset}', 'updateAsset', 'maya', { body: { rights_holder: 'Maya Okello' } }),
  ...reads('asset', 'id={asset}', 'filename,license,rights_holder'),
  { id: 'readAssetFile', path: 'asset/{asset}/file?size=thumbnail', as: 'maya' },
];

const ENCOUNTER = {
  time: '2021-06-03T14:05+03:00',
  latitude: -1.4061,
  longitude: 35.0073,
  coordinate_uncertainty: 30,
  sex: 'female',
  life_stage: 'adult',
  behavior: 'drinking',
  remarks: 'At the waterhole, with a calf.',
};

const ENCOUNTERS: readonly Step[] = [
  change('POST', 'encounter', 'createEncounter', 'maya', {
    body: ENCOUNTER,
    keep: { encounter: 'id' },
  }),
  change('PUT', 'encounter/{encounter}', 'updateEncounter', 'maya', {
    body: { group_size: 2, tags: ['calf'] },
  }),
  ...reads(
    'encounter',
    'id={encounter}',
    'time,latitude,longitude,sex',
    'maya',
    '&expand=true&fields=id,time,permissions',
  ),
  change('POST', 'encounter/{encounter}/review', 'reviewEncounter', 'moderator', {
    body: { state: 'rejected', review_note: 'Is this not a male?' },
  }),
  {
    method: 'POST',
    path: 'encounter',
    body: { time: '2021-06', remarks: 'Two giraffes' },
    keep: { report: 'id', claim: 'claim' },
  },
  change('POST', 'encounter/{report}/claim', 'claimEncounter', 'maya', {
    claim: 'claim',
    body: {},
  }),
  change('POST', 'batch', 'batch', 'maya', {
    body: {
      operations: [
        { op: 'create', type: 'encounter', body: { time: '2021-06-04', sex: 'male' } },
        { op: 'create', type: 'individual', body: { sex: 'male' } },
      ],
      dry_run: true,
    },
  }),
];

const INDIVIDUALS: readonly Step[] = [
  change('POST', 'individual', 'createIndividual', 'maya', {
    body: { names: [{ context: 'nickname', value: 'Twiga of the Mara' }], sex: 'female' },
    keep: { individual: 'id' },
  }),
  {
    method: 'POST',
    path: 'individual',
    as: 'maya',
    body: { names: [{ context: 'catalog', value: 'MRC-17' }], sex: 'unknown' },
    keep: { other: 'id' },
  },
  change('PUT', 'individual/{individual}', 'updateIndividual', 'maya', {
    body: { living_status: 'alive', remarks: 'A notch in the left ear.' },
  }),
  ...reads('individual', 'id={individual}', 'name,sex,encounter_count'),
  change('POST', 'individual/{individual}/merge', 'mergeIndividual', 'maya', {
    body: { from: ['{other}'], dry_run: true },
  }),
];

const COLLABORATION: readonly Step[] = [
  change('POST', 'collaboration', 'createCollaboration', 'maya', {
    body: { user: '{colleague}', level: 'view' },
    keep: { collaboration: 'id' },
  }),
  change('PUT', 'collaboration/{collaboration}', 'updateCollaboration', 'colleague', {
    body: { state: 'accepted' },
  }),
  ...reads('collaboration', 'id={collaboration}', 'level,state'),
];

const SETTINGS: readonly Step[] = [
  { id: 'readSiteSettings', path: 'site_settings' },
  change('PUT', 'site_settings', 'updateSiteSettings', 'administrator', {
    body: { announcement: { en: 'No service on Sunday morning.' } },
  }),
  { method: 'PUT', path: 'site_settings', as: 'administrator', body: { announcement: null } },
];

const SUGGESTED: readonly Step[] = [
  { id: 'suggestTaxonomy', path: 'suggest/taxonomy?q=loxodonta&limit=1' },
  { id: 'suggestIndividual', path: 'suggest/individual?q=twiga&limit=1', as: 'maya' },
  { id: 'suggestOrg', path: 'suggest/org?q=camp&limit=1' },
  { id: 'suggestUser', path: 'suggest/user?q=okelo&limit=1' },
];

const END: readonly Step[] = [
  { method: 'DELETE', path: 'encounter/{report}', as: 'maya' },
  ...MERGED,
  change('DELETE', 'encounter/{encounter}', 'deleteEncounter', 'maya'),
  change('DELETE', 'individual/{individual}', 'deleteIndividual', 'maya'),
  change('DELETE', 'asset/{asset}', 'deleteAsset', 'maya'),
  change('DELETE', 'org/{org}', 'deleteOrg', 'maya'),
  change('DELETE', 'taxonomy/{taxonomy}', 'deleteTaxonomy', 'moderator'),
  {
    method: 'POST',
    path: 'login',
    body: { username: EMAIL, password: 'a river at dawn' },
    keep: { further_bearer: 'cookie' },
  },
  { path: 'sessions', as: 'maya', keep: { session: 'sessions.0.id' } },
  change('DELETE', 'sessions/{session}', 'endSession', 'maya'),
  change('POST', 'logout', 'logout', 'maya', { body: {} }),
  change('DELETE', 'user/{user}', 'deleteUser', 'administrator'),
];

export const STEPS: readonly Step[] = [
  ...ACCOUNT,
  ...TAXON,
  ...ORG,
  ...PHOTOGRAPH,
  ...ENCOUNTERS,
  ...INDIVIDUALS,
  ...COLLABORATION,
  ...SETTINGS,
  ...SUGGESTED,
  ...REFUSED,
  ...END,
];
