/** The values of the fields that the site adds, in the caller's view of an object. */
import { columnIn, NEVER, sql } from '../../database/sql';
import type { Field } from '../../declare/completed';
import type { CustomField } from '../../site/settings';
import { allOf, OWN, type Source, type Term } from './source';

/** A custom field of an object: null where it has none. */
export function publicCustom(source: Source, field: Field, custom: CustomField): Term {
  const { dialect, resource, access } = source;
  const { key, type, public_when_obscured: isPublic } = custom;
  const [name = 'null'] = field.columns;
  const object = columnIn(OWN, name);
  // In other views, only what its definition says is there.
  const shown = isPublic
    ? access.condition(access.seen(field), source.alias)
    : source.term({ ...field, views: hiddenInAll(resource.views?.names ?? []) }).shown;
  const value =
    type === 'number' || type === 'integer'
      ? dialect.jsonNumber(object, key)
      : type === 'boolean'
        ? sql`cast(${dialect.jsonMember(object, key)} as text)`
        : type === 'multiselect'
          ? dialect.jsonMember(object, key)
          : dialect.jsonText(object, key);
  return { shown: shown === NEVER ? NEVER : allOf([shown]), columns: [sql`(${value})`] };
}

const hiddenInAll = (names: Iterable<string>): Field['views'] =>
  new Map([...names].map((name) => [name, 'hidden' as const]));
