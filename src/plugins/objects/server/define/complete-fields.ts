/** Completes the fields of a type. */
import { COMMON } from '../declare/common';
import type { Field } from '../declare/completed';
import type { ResourceDeclaration } from '../declare/declaration';
import type { DeclarationErrorCode } from '../declare/declaration-error';
import { completeRow, type Right } from '../declare/row';
import { completeField, type FieldContext } from './complete-field';

/** @throws DeclarationError at a field of the type, or at the type */
export type Wrong = (code: DeclarationErrorCode, name?: string) => never;

/** The fields of a type, those that every type has among them, by name. */
export function completeFields(
  declaration: ResourceDeclaration,
  { stored, paths, wrong }: Pick<FieldContext, 'stored' | 'paths'> & { readonly wrong: Wrong },
  checkRight: (at?: string) => (right: Right) => void,
): Map<string, Field> {
  const views = declaration.views?.names ?? [];
  const declared = Object.entries(declaration.fields).map(([name, field]) => {
    if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) wrong('NAME_INVALID', name);
    if (name in COMMON || name === 'permissions') wrong('NAME_RESERVED', name);
    return completeField(name, field, {
      stored,
      paths,
      views,
      wrong: (code) => wrong(code, name),
      checkRight: checkRight(name),
    });
  });
  return new Map(
    [COMMON.id, ...declared, ...stampsOf(declaration, checkRight())].map(
      (field): [string, Field] => [field.name, field],
    ),
  );
}

const stampsOf = (
  { seen = {} }: ResourceDeclaration,
  check: (right: Right) => void,
): readonly Field[] =>
  (['version', 'created_at', 'updated_at'] as const).map((name) => {
    const declared = seen[name];
    return declared ? { ...COMMON[name], seen: completeRow(declared, check) } : COMMON[name];
  });
