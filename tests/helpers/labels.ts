import { asObject, type Json } from './json';
import { resolve } from './openapi';

/** The keys of the texts of all fields and choices of a type, which follow from its schemas. */
export function labelKeys(document: Json, type: string): string[] {
  const schemas = asObject(asObject(document['components'])['schemas']);
  const name = type.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
  const keys = new Set<string>();
  const keyOf = (kind: string, parts: readonly string[]): string =>
    [kind, type, ...parts].join('_').replace(/[^A-Za-z0-9]/g, '_');

  const visit = (given: unknown, path: readonly string[]): void => {
    const schema = resolve(document, asObject(given));
    for (const also of ['anyOf', 'oneOf', 'allOf'])
      for (const part of (schema[also] ?? []) as unknown[]) visit(part, path);
    for (const value of (schema['enum'] ?? []) as unknown[])
      if (isLabeled(value, path)) keys.add(keyOf('VALUE', [...path, value]));
    if (schema['items']) visit(schema['items'], path);
    if (path[0] === 'renditions' && path.length > 1) return;
    for (const [field, property] of Object.entries(asObject(schema['properties'] ?? {}))) {
      // Objects beside this one, with fields of their own.
      if (field === 'included') continue;
      keys.add(keyOf('FIELD', [...path, field]));
      visit(property, [...path, field]);
    }
  };
  for (const form of ['', 'Part', 'Create', 'Form', 'Update'])
    if (schemas[name + form]) visit(schemas[name + form], []);
  return [...keys];
}

/** Countries have names of their own (`Intl.DisplayNames`); another spelling of a role is accepted and never sent. */
const isLabeled = (value: unknown, path: readonly string[]): value is string =>
  typeof value === 'string' &&
  path.length > 0 &&
  path.at(-1) !== 'country_code' &&
  value !== 'administator';
