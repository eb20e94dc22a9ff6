/** Rules for several types. */
import { issue } from '../../../../core/errors';
import type { Body } from '../declare/objects';
import { keepUnshown } from './custom-fields';
import type { Rule, RuleContext } from '../declare/behavior';

/** Who makes an object owns it. */
export const creator = (_: Body, { before, caller }: RuleContext): string | null =>
  before === null ? caller.id : null;

/** Custom fields that forms do not show stay as they are. @param type whose custom fields they are */
export const keepHiddenFields =
  (type: string) =>
  ({ custom_fields: values }: Body, { before, site }: RuleContext): Body =>
    keepUnshown(
      values as Body,
      (before?.['custom_fields'] ?? {}) as Body,
      site.customFields[type] ?? [],
    );

/** Two fields have to be given together or not at all; the issue is at the missing one. */
export const bothOrNeither = (first: string, second: string): Rule => ({
  fields: [first, second],
  *check(after) {
    const [a, b] = [after[first] ?? null, after[second] ?? null];
    if ((a === null) === (b === null)) return [];
    return [issue(a === null ? first : second, 'REQUIRED', {})];
  },
});

/** A field that may be set only while another has a certain value. */
export const onlyWhile = (name: string, other: string, value: unknown): Rule => ({
  fields: [name, other],
  *check(after) {
    const isSet = (after[name] ?? null) !== null;
    return isSet && after[other] !== value ? [issue(name, 'CONFLICT', { with: other })] : [];
  },
});
