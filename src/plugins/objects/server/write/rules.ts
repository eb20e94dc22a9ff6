/** Rules that several types share, and what a rule is told. */
import type { Caller } from '../../../accounts/server/caller';
import { issue, type Issue } from '../../../wire/server/errors';
import type { SqlValue, Work } from '../database/work';
import type { Beforehand, Rule } from '../define/declaration';
import type { SiteSettings } from '../site';
import type { Body } from '../types';

export interface RuleContext {
  readonly caller: Caller;
  readonly site: SiteSettings;
  /** The object as it is stored, null for one that is being made. */
  readonly before: Body | null;
  readonly beforehand: Beforehand;
  /**
   * The values of a column, from an object up a tree of its type: its own first, the root's last.
   *
   * @param column of the type's table, by the field's name
   */
  readonly upwards: (
    type: string,
    id: string,
    along: string,
    column: string,
  ) => Work<readonly SqlValue[]>;
}

/** Two fields that are given together or not at all; what is missing is told at the missing one. */
export const bothOrNeither = (first: string, second: string): Rule =>
  function* (after): Work<readonly Issue[]> {
    const [a, b] = [after[first] ?? null, after[second] ?? null];
    if ((a === null) === (b === null)) return [];
    return [issue(a === null ? first : second, 'REQUIRED', {})];
  };

/** A field that may be set only while another has a certain value. */
export const onlyWhile = (name: string, other: string, value: unknown): Rule =>
  function* (after): Work<readonly Issue[]> {
    const isSet = (after[name] ?? null) !== null;
    return isSet && after[other] !== value ? [issue(name, 'CONFLICT', { with: other })] : [];
  };
