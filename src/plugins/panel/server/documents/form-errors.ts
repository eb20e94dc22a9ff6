/** Converts refusals to errors that the panel shows: a message at each invalid field. */
import { errors } from '@strapi/utils';
import { KEY_PREFIX, ApiError, type Args, type Issue } from '../../../../core/errors';
import { messageText } from '../../../../core/messages';
import type { Resource } from '../../../objects/server/declare/completed';
import type { Kind } from '../../../objects/server/declare/kinds';

/** One entry of Strapi's validation errors, as the panel's forms read it. */
interface FieldError {
  readonly path: readonly string[];
  readonly message: string;
  readonly name: 'ValidationError';
}

/**
 * The error for Strapi to answer. Other errors are returned unchanged, and so is that of an unavailable database, whose
 * status Strapi answers.
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

/** Whether the change requires the current password, for which the form has no input. */
const isOwnProof = ({ path, key }: Issue): boolean =>
  path === 'current_password' || (path === 'password' && key === 'NOT_PERMITTED');

const PROFILE = 'Your own address, user name and password are changed on your profile page.';

/** Added because the panel reloads the document after this refusal, and shows both (`admin/conflict`). */
const STALE = 'Your changes were not saved yet: compare them with the current state.';

const textOf = (key: string, args: Args): string => messageText(`${KEY_PREFIX}${key}`, args);
const faultText = ({ key, args }: Issue): string => textOf(key, args);

/** `vernacular_names.en` reads as "vernacular names, en". */
const label = ({ path }: Issue): string => path.replaceAll('_', ' ').replaceAll('.', ', ');

/** A form keeps its input only after errors of this class. */
const atFields = (message: string, fieldErrors: readonly FieldError[]): Error =>
  new errors.ValidationError(message, { errors: fieldErrors });

const at = (path: readonly string[], message: string): FieldError => ({
  path,
  message,
  name: 'ValidationError',
});

/** The kinds with inputs of this plugin, which show a message at each part. */
const IN_PARTS: ReadonlySet<Kind | undefined> = new Set<Kind>([
  'localized',
  'paths',
  'texts',
  'languages',
  'origins',
  'regions',
  'notes',
  'customFieldDefinitions',
  'individualNames',
  'relationships',
  'measurements',
]);

/** The name of the part at which an input shows the messages of the whole list or record. */
const WHOLE = '_';

/**
 * One text per attribute, because Strapi's inputs show only one: messages of inner values begin with their path. An
 * input of this plugin has a text at each of its parts.
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
