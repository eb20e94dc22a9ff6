/** Reads the parameters that are no comparison of one field: words, places, and what is below something. */
import { issue, type Issue } from '../../../../../core/errors';
import { isUuid } from '../../../../../core/formats';
import { wordsOf } from '../../../../../core/words';
import type { Resource, Resources } from '../../declare/completed';
import { asNumber } from '../../kinds/number';
import type { SiteSettings } from '../../site/settings';
import type { FieldCondition } from './tree';
import { regionFields, subtreesOf } from './filters';
import { positionOf } from '../../declare/position';
import { MAX_WORDS } from './limits';
import { namingFields, textFields } from '../projection/texts';

/** Reads the value of a parameter; what is wrong with it is added to the issues. */
export type Read = (text: string) => void;

/** The parameters that are no comparison of one field. */
export function specialReads(
  resource: Resource,
  resources: Resources,
  site: SiteSettings,
  issues: Issue[],
  conditions: FieldCondition[],
): [string, Read][] {
  const wrong = (name: string, expected: 'uuid' | 'bbox' | 'near'): void =>
    void issues.push(issue(name, 'FORMAT', { expected }));
  const subtrees = subtreesOf(resource, resources).map(([name, field]): [string, Read] => [
    name,
    (id) =>
      isUuid(id)
        ? void conditions.push({ by: 'subtree', field, id: id.toLowerCase() })
        : wrong(name, 'uuid'),
  ]);
  const regions = regionFields(resource).map((field): [string, Read] => [
    `${field.name}_under`,
    (key) => void conditions.push({ by: 'regions', field, keys: regionsUnder(key, site) }),
  ]);
  const places: [string, Read][] = positionOf(resource)
    ? [
        [
          'bbox',
          (text) => {
            const box = boxIn(text);
            if (box) conditions.push({ by: 'box', box });
            else wrong('bbox', 'bbox');
          },
        ],
        [
          'near',
          (text) => {
            const [latitude, longitude, kilometers] = numbersIn(text, 3) ?? [];
            const isCircle =
              isLatitude(latitude) && isLongitude(longitude) && (kilometers ?? -1) >= 0;
            if (isCircle)
              conditions.push({ by: 'circle', latitude, longitude, kilometers: kilometers ?? 0 });
            else wrong('near', 'near');
          },
        ],
      ]
    : [];
  const hasWords = textFields(resource).length + namingFields(resource).length > 0;
  const words: [string, Read][] = hasWords
    ? [['q', (text) => void conditions.push(...wordsIn(text, issues))]]
    : [];
  return [...subtrees, ...regions, ...places, ...words];
}

function wordsIn(text: string, issues: Issue[]): FieldCondition[] {
  const id = text.trim();
  if (isUuid(id)) return [{ by: 'id', id: id.toLowerCase() }];
  const words = wordsOf(text);
  if (words.length > MAX_WORDS) issues.push(issue('q', 'TOO_LONG', { max: MAX_WORDS }));
  return [{ by: 'words', words }];
}

/** A region of the site settings and all below it; none where there is no such region. */
function regionsUnder(key: string, { regions }: SiteSettings): string[] {
  const found = new Set(regions.filter(({ id }) => id === key).map(({ id }) => id));
  // A set takes in what is added while it is passed.
  for (const above of found)
    for (const { id, parent } of regions) if (parent === above) found.add(id);
  return [...found];
}

function numbersIn(text: string, count: number): number[] | null {
  const numbers = text.split(',').map((part) => asNumber(part.trim()));
  return numbers.length === count && numbers.every((one) => Number.isFinite(one))
    ? (numbers as number[])
    : null;
}

const isLatitude = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) <= 90;
const isLongitude = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) <= 180;

/** Web maps go on beyond the date line: 181 is -179, and what is wider than the world is all of it. */
function boxIn(text: string): readonly [number, number, number, number] | null {
  const [west, south, east, north] = numbersIn(text, 4) ?? [];
  const isBox =
    west !== undefined &&
    east !== undefined &&
    isLatitude(south) &&
    isLatitude(north) &&
    south <= north;
  if (!isBox) return null;
  return east - west >= 360
    ? [-180, south, 180, north]
    : [roundTheWorld(west), south, roundTheWorld(east), north];
}

/** The same longitude between -180 and 180; one that is there stays as it is. */
const roundTheWorld = (longitude: number): number =>
  Math.abs(longitude) <= 180 ? longitude : ((((longitude + 180) % 360) + 360) % 360) - 180;
