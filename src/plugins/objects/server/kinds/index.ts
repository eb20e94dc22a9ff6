/** The table of the kinds of values. */
import type { Field } from '../declare/completed';
import { boolean } from './boolean';
import { choice } from './choice';
import { country } from './country';
import { customFieldDefinitions } from './custom-field-definitions';
import { customFields } from './custom-fields';
import { email } from './email';
import { id } from './id';
import { individualNames } from './individual-names';
import { instant } from './instant';
import { integer } from './integer';
import { jsonObject } from './json-object';
import type { CheckContext, KindDefinition } from './kind';
import { language } from './language';
import { languages } from './languages';
import { localized } from './localized';
import { acceptsMeasurements, measurements } from './measurements';
import { name } from './name';
import type { Kind } from '../declare/kinds';
import { notes } from './notes';
import { acceptsNumber, number } from './number';
import { origins } from './origins';
import { path } from './path';
import { paths } from './paths';
import { reference } from './reference';
import { references } from './references';
import { region } from './region';
import { regions } from './regions';
import { relationships } from './relationships';
import { renditions } from './renditions';
import { secret } from './secret';
import { acceptsText, text } from './text';
import { acceptsList, texts } from './texts';
import { acceptsTexts, textsByTerm } from './texts-by-term';
import { acceptsTime, time } from './time';
import { url } from './url';
import { acceptsUuid, uuid } from './uuid';

const DEFINITIONS: Record<Kind, KindDefinition> = {
  id,
  text,
  name,
  uuid,
  email,
  url,
  country,
  language,
  choice,
  number,
  integer,
  boolean,
  time,
  instant,
  localized,
  texts,
  languages,
  origins,
  measurements,
  individualNames,
  textsByTerm,
  customFields,
  customFieldDefinitions,
  region,
  regions,
  notes,
  jsonObject,
  reference,
  references,
  relationships,
  path,
  paths,
  renditions,
  secret,
};

export const definitionOf = (kind: Kind): KindDefinition => DEFINITIONS[kind];

/**
 * Those of which it can be told, in a tenth of the time of their check, that a value surely passes it. A kind that is made
 * of another one has its own check, so that none inherits this.
 */
const ACCEPTS: Partial<Record<Kind, (value: unknown, field: Field, how: CheckContext) => boolean>> =
  {
    text: acceptsText,
    texts: acceptsList,
    number: acceptsNumber,
    time: acceptsTime,
    measurements: acceptsMeasurements,
    uuid: acceptsUuid,
    textsByTerm: acceptsTexts,
  };

/** Whether a value of a field surely passes its check, false where that is not known; null where it never is. */
export const acceptance = (
  field: Field,
): ((value: unknown, context: CheckContext) => boolean) | null => {
  const accepts = ACCEPTS[field.kind];
  return accepts ? (value, context) => accepts(value, field, context) : null;
};

/** The IDs that a value of a field refers to, each with its path in the field. */
export function referredIds(
  { kind, name }: Pick<Field, 'kind' | 'name'>,
  value: unknown,
): { readonly id: string; readonly path: string }[] {
  const { referredId: idOf, referredAt } = definitionOf(kind);
  const inside = referredAt === undefined ? '' : `.${referredAt}`;
  if (!idOf || value === null || value === undefined) return [];
  return Array.isArray(value)
    ? value.map((item: unknown, at) => ({ id: idOf(item), path: `${name}.${at}${inside}` }))
    : [{ id: idOf(value), path: name }];
}

/** What a field is where nothing is stored. */
export const emptyOf = ({ kind }: Pick<Field, 'kind'>): unknown => DEFINITIONS[kind].empty;

/** The default kind of an attribute; null where its type has none. */
export const naturalKind = (attributeType: string): Kind | null =>
  (Object.entries(DEFINITIONS) as [Kind, KindDefinition][]).find(([, { natural }]) =>
    natural.includes(attributeType),
  )?.[0] ?? null;

/** Whether attributes of a type can store any kind. */
export const isHolder = (attributeType: string): boolean =>
  Object.values(DEFINITIONS).some(({ attributes }) => attributes.includes(attributeType));
