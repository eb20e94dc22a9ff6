/** A refusal in the form in which the panel shows it: a text at each field that is wrong. */
import { errors } from '@strapi/utils';
import { KEY_PREFIX, ApiError, type Args, type Issue } from '../../../../core/errors';
import { messageText } from '../../../../core/messages';
import type { Resource } from '../../../objects/server/define/completed';
import type { Kind } from '../../../objects/server/kinds/names';

/** As Strapi's errors carry it, and the panel's forms read it. */
interface FieldError {
  readonly path: readonly string[];
  readonly message: string;
  readonly name: 'ValidationError';
}

/**
 * The error for Strapi to answer. What is no refusal of ours passes unchanged, and so does a
 * database that is away: Strapi answers its status.
 */
export function explain(resource: Resource, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.key === 'UNAVAILABLE') return error;
  const text = textOf(error.key, error.args);
  if (error.key === 'VERSION_MISMATCH')
    return atFields(`${text} ${STALE}`, [at(['version'], text)]);
  if (error.invalid.length === 0) return new errors.ApplicationError(text);
  if (error.invalid.some(isOwnProof))
    return atFields(PROFILE, fieldErrors(resource, error.invalid));
  const [first, ...others] = error.invalid;
  const summary = first && others.length === 0 ? `${label(first)}: ${faultText(first)}` : text;
  return atFields(summary, fieldErrors(resource, error.invalid));
}

/** What one has to prove oneself for: the form has no place for the current password. */
const isOwnProof = ({ path, key }: Issue): boolean =>
  path === 'current_password' || (path === 'password' && key === 'NOT_PERMITTED');

const PROFILE = 'Your own address, user name and password are changed on your profile page.';

/** The panel answers this refusal by loading the document again. */
const STALE = 'Your changes were not saved; what you see now is how it stands. Make them again.';

const textOf = (key: string, args: Args): string => messageText(`${KEY_PREFIX}${key}`, args);
const faultText = ({ key, args }: Issue): string => textOf(key, args);

/** `vernacular_names.en` reads as "vernacular names, en". */
const label = ({ path }: Issue): string => path.replaceAll('_', ' ').replaceAll('.', ', ');

/** A form keeps what was typed on this class of errors alone. */
const atFields = (message: string, fieldErrors: readonly FieldError[]): Error =>
  new errors.ValidationError(message, { errors: fieldErrors });

const at = (path: readonly string[], message: string): FieldError => ({
  path,
  message,
  name: 'ValidationError',
});

/** The kinds whose inputs are ours, and show what is wrong at each part. */
const IN_PARTS: ReadonlySet<Kind | undefined> = new Set<Kind>([
  'localized',
  'paths',
  'texts',
  'languages',
  'origins',
  'regions',
  'customFieldDefinitions',
]);

/** The part of a list or record in which its input looks for what is wrong with it as a whole. */
const WHOLE = '_';

/**
 * One text per attribute, since Strapi's inputs show no more: what is wrong inside one says where. An input of ours has a
 * text at each of its parts.
 */
function fieldErrors(resource: Resource, invalid: readonly Issue[]): FieldError[] {
  const texts = new Map<string, string[]>();
  for (const fault of invalid) {
    const [name = '', ...inside] = fault.path.split('.');
    const field = resource.fields.get(name);
    const attribute = field?.attribute ?? name;
    const isInParts = IN_PARTS.has(field?.kind);
    const hasParts = invalid.some(({ path }) => path.startsWith(`${fault.path}.`));
    const part = inside.length === 0 || hasParts ? [...inside, WHOLE] : inside;
    const path = isInParts ? [attribute, ...part] : [attribute];
    const where = isInParts || inside.length === 0 ? '' : `${inside.join('.')}: `;
    const key = path.join('.');
    texts.set(key, [...(texts.get(key) ?? []), where + faultText(fault)]);
  }
  return [...texts].map(([path, lines]) => at(path.split('.'), lines.join(' ')));
}
