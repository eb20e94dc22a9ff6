/** Completes the actions of a type, and when `permissions` lists them. */
import { completeRow, type Right, type RightsRow } from '../declare/row';
import type { Action, Field } from '../declare/completed';
import type { ResourceDeclaration } from '../declare/declaration';
import type { DeclarationErrorCode } from '../declare/declaration-error';
import { defineBody } from '../validate/request-body';
import { isReference } from '../kinds/traits';

/** The calls that every type has. */
export const STANDARD: readonly string[] = ['create', 'read', 'update', 'delete'];
/** Rights to more than the present state of an object, which other calls ask for. */
const FURTHER: readonly string[] = ['original', 'history'];

type Wrong = (code: DeclarationErrorCode, name?: string) => never;

/** Each action has a row of rights, and each row is that of a call. @throws DeclarationError */
export function completeActions(
  { actions = {}, rights }: ResourceDeclaration,
  wrong: Wrong,
): ReadonlyMap<string, Action> {
  const known = new Set([...STANDARD, ...FURTHER, ...Object.keys(actions)]);
  for (const action of Object.keys(rights)) if (!known.has(action)) wrong('ACTION_MISSING', action);
  return new Map(
    Object.entries(actions).map(([name, action]): [string, Action] => {
      if (!/^[a-z]{1,20}$/.test(name) || [...STANDARD, ...FURTHER].includes(name))
        wrong('ACTION_NAME_INVALID', name);
      if (!(name in rights)) wrong('RIGHT_MISSING', name);
      return [name, { ...action, body: defineBody(action.body) }];
    }),
  );
}

/** @throws DeclarationError */
export const completeOffers = (
  { offered = {}, rights }: ResourceDeclaration,
  check: (right: Right) => void,
  wrong: Wrong,
): ReadonlyMap<string, RightsRow> =>
  new Map(
    Object.entries(offered).map(([action, row]) => {
      if (!(action in rights)) wrong('RIGHT_MISSING', action);
      return [action, completeRow(row, check)];
    }),
  );

/** What was merged into an object goes with it. */
export function completeMergedInto(
  { path, mergedInto }: ResourceDeclaration,
  fields: ReadonlyMap<string, Field>,
  wrong: Wrong,
): Field | null {
  if (mergedInto === undefined) return null;
  const field = fields.get(mergedInto) ?? wrong('FIELD_UNKNOWN', mergedInto);
  const fits = isReference(field) && field.to === path && field.onDelete === 'delete';
  return fits ? field : wrong('KIND_MISMATCH', mergedInto);
}
