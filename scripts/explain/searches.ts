/** Searches that meet the rules by which it is chosen how a search is carried out (`npm run search-plans`). */
import type { Searched } from '../../bench/search';
import { BOXES, spanOf } from '../../bench/data/searched';
import type { ListQuery } from '../../src/plugins/objects/server/search/language/list-query';

/** Who asks: a stranger without or with an account, the owner of few encounters, a moderator. */
export type Asker = 'anonymous' | 'user' | 'owner' | 'moderator';

/** Parameters of a search of encounters, or of another type. */
export interface Search {
  readonly type?: string;
  readonly query: string;
  /** Who asks for it; a moderator and a stranger where nobody is named. */
  readonly as?: readonly Asker[];
  /** The second page is explained, by the cursor of the first one. */
  readonly isSecondPage?: true;
  /** All of it is read, as an export does. */
  readonly isWhole?: true;
}

const EVERYBODY: readonly Asker[] = ['anonymous', 'user', 'owner', 'moderator'];

/** @param size how many encounters there are */
export function searchesIn({ owners, taxa }: Searched, size: number): readonly Search[] {
  const [from, to] = spanOf('spread', size);
  const box = (where: 'spread' | 'oldest'): string => `bbox=${BOXES[where].join()}`;
  return [
    { query: '', as: EVERYBODY },
    { query: 'sort=-time&count=none', as: EVERYBODY },
    { query: 'sort=time', isSecondPage: true },
    { query: 'sort=-created_at&limit=1000' },
    { query: 'limit=0&count=exact', as: EVERYBODY },
    { query: 'offset=5000&sort=-time' },
    { query: 'country_code=TZ', as: EVERYBODY },
    { query: 'country_code=TZ,KE&sort=-time&count=none' },
    { query: 'country_code_not=TZ' },
    { query: 'taxonomy=null' },
    { query: 'sex=male&sort=-time' },
    { query: 'group_size_min=3&group_size_max=4' },
    { query: `time_min=${from}&time_max=${to}`, as: EVERYBODY },
    { query: `state=approved&time_min=${from}&time_max=${to}&sort=-time&limit=20`, as: EVERYBODY },
    { query: `state=approved&time_min=2010&time_max=2020&sort=-time&limit=20`, as: EVERYBODY },
    { query: `state=approved&time_min=${from}&sort=-time&limit=20`, as: EVERYBODY },
    { query: `state=approved&time_min=${from}&sort=-time&limit=20&count=none`, as: EVERYBODY },
    { query: 'time=2010-03' },
    { query: 'created_at_min=2020-01-01T00:00Z' },
    { query: `owner=${owners.spread}`, as: EVERYBODY },
    { query: `taxonomy_under=${taxa.spread}`, as: EVERYBODY },
    { query: `taxonomy_under=${taxa.birds}&sort=-time` },
    { query: 'individual=null&count=none' },
    { query: 'tags=tusker' },
    { query: 'event_id=6f1c1c1e-0b52-4d0c-9d53-3f8a3b7f0a11' },
    { query: 'external_id=E1' },
    { query: 'q=aardwolf', as: EVERYBODY },
    { query: 'q=zorilla&sort=-time&count=none' },
    { query: 'q=meander', as: EVERYBODY },
    { query: 'q=meander+boulder&sort=-time&count=none', as: EVERYBODY },
    { query: 'q=mea' },
    { query: 'q=s&count=none&sort=-time' },
    { query: `q=meander&country_code=TZ&taxonomy_under=${taxa.birds}`, as: EVERYBODY },
    { query: `q=${owners.spread}` },
    { query: box('spread'), as: EVERYBODY },
    { query: `${box('oldest')}&sort=-time&count=none` },
    { query: 'bbox=-20,-85,10,85&sort=-time' },
    { query: 'bbox=170,-45,-149,-39' },
    { query: 'near=-39.5,-149.5,120', as: EVERYBODY },
    { query: 'near=-39.5,-149.5,120&sort=distance' },
    { query: `owner=${owners.spread}&q=seen&${box('spread')}` },
    { query: 'country_code=TZ&sort=-time', isSecondPage: true, as: EVERYBODY },
    { query: 'country_code=TZ', isWhole: true, as: EVERYBODY },
    { query: 'q=meander', isWhole: true },
    { type: 'taxonomy', query: 'q=aves&sort=scientific_name' },
    { type: 'individual', query: 'sort=-last_seen', as: EVERYBODY },
    { type: 'user', query: 'q=spread', as: ['moderator'] },
    { type: 'asset', query: 'sort=-created_at' },
    { type: 'org', query: 'q=friends' },
  ];
}

const list = (query: Partial<ListQuery>): ListQuery => ({
  ...{ filter: null, words: null, sort: [], offset: 0, limit: 50 },
  ...query,
});
const value = (attribute: string, operator: 'eq' | 'containsi' | 'gt', one: string) =>
  ({ by: 'attribute', attribute, operator, values: [one] }) as const;

/** Lists of encounters in the panel. */
export const LISTS: Readonly<Record<string, ListQuery>> = {
  opened: list({ sort: [{ attribute: 'time', of: null, isDescending: true }] }),
  'those that wait': list({ filter: value('state', 'eq', 'pending') }),
  words: list({ words: 'meander' }),
  'a rare word in the order of time': list({
    words: 'zorilla',
    sort: [{ attribute: 'time', of: null, isDescending: true }],
  }),
  'of a taxon': list({
    filter: {
      by: 'related',
      attribute: 'taxonomy',
      part: value('scientificName', 'eq', 'Species spread'),
    },
  }),
  'by their taxon': list({
    sort: [{ attribute: 'taxonomy', of: 'scientificName', isDescending: false }],
  }),
  'without an index': list({ filter: value('remarks', 'containsi', 'boulder') }),
  'several conditions': list({
    filter: {
      by: 'all',
      parts: [value('sex', 'eq', 'male'), value('groupSize', 'gt', '2')],
    },
  }),
};
