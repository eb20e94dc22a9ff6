/** A refusal in the form in which the panel shows it: a text at each field that is wrong. */
import { errors } from '@strapi/utils';
import { KEY_PREFIX, ApiError, type Args, type Issue } from '../../../../core/errors';
import { messageText } from '../../../../core/messages';
import type { Resource } from '../../../objects/server/define/completed';

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
  if (error.key === 'VERSION_MISMATCH') return atFields(`${text} ${STALE}`, [at('version', text)]);
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

const at = (attribute: string, message: string): FieldError => ({
  path: [attribute],
  message,
  name: 'ValidationError',
});

/** One text per attribute, since the panel shows no more: what is wrong inside one says where. */
function fieldErrors(resource: Resource, invalid: readonly Issue[]): FieldError[] {
  const texts = new Map<string, string[]>();
  for (const fault of invalid) {
    const [name = '', ...inside] = fault.path.split('.');
    const attribute = resource.fields.get(name)?.attribute ?? name;
    const text = inside.length > 0 ? `${inside.join('.')}: ${faultText(fault)}` : faultText(fault);
    texts.set(attribute, [...(texts.get(attribute) ?? []), text]);
  }
  return [...texts].map(([attribute, lines]) => at(attribute, lines.join(' ')));
}
