/**
 * What is kept in place has no table for each version: where a start finds that other code has made it, it is made anew where it
 * is, beside the service. Until then it is read as it is; what was made for other readers is withheld.
 */
import { sql } from '../../../database/sql';
import { ask, type Row, type Work } from '../../../database/work';
import type { Kept, KeptContext } from '../../../declare/behavior';
import type { Resources } from '../../../declare/completed';
import type { KeptDeclaration } from '../../../declare/kept-version';
import { isSameJson } from './declared';
import { nextNumber } from './stored';

type State =
  /** It may be read, whether or not it is being made anew. */
  | 'current'
  /** It was made for other readers. */
  | 'withheld';

/** Of a value that is kept: the type of which it is kept, and its name. */
export interface KeptName {
  readonly type: string;
  readonly name: string;
}

const isOf = ({ type, name }: KeptName) => sql`type = ${type} and name = ${name}`;

/** Selects what a database was filled by, for `versionsInPlace`. */
export const KEPT_VERSIONS = sql`select type, name, state, declaration from oms_kept_versions`;

/** A value that has versions, and what is stored of the one that a database has. */
interface InPlace extends KeptName {
  readonly version: NonNullable<Kept['version']>;
  readonly known: { readonly state: State; readonly declared: KeptDeclaration } | undefined;
}

/** @param rows of `KEPT_VERSIONS` */
function versionsInPlace(resources: Resources, rows: readonly Row[]): InPlace[] {
  const knownAs = (of: string, name: string): InPlace['known'] => {
    const row = rows.find((one) => one[0] === of && one[1] === name);
    if (!row) return undefined;
    const [, , state, declaration] = row;
    return {
      state: String(state) as State,
      declared: JSON.parse(String(declaration)) as KeptDeclaration,
    };
  };
  return [...resources.values()].flatMap(({ kept }) =>
    kept.flatMap(({ of: type, name, version }) =>
      version ? [{ type, name, version, known: knownAs(type, name) }] : [],
    ),
  );
}

/** Of before there were versions: the same code has made it. */
const isOther = ({ version, known }: InPlace): boolean =>
  known !== undefined && !isSameJson(known.declared, version.declared);

const namesOfOther = (all: readonly InPlace[]): KeptName[] =>
  all.filter(isOther).map(({ type, name }) => ({ type, name }));

/** What a start on a database would leave to be made anew in place. @param rows of `KEPT_VERSIONS` */
export const otherInPlace = (resources: Resources, rows: readonly Row[]): KeptName[] =>
  namesOfOther(versionsInPlace(resources, rows));

/**
 * Compares all that is declared with what the database was filled by. Where there is a difference, all of it is left to be
 * made anew.
 *
 * @returns of which that is so
 */
export function* registerInPlace(resources: Resources, context: KeptContext): Work<KeptName[]> {
  const all = versionsInPlace(resources, yield* ask(KEPT_VERSIONS));
  for (const one of all) {
    const { type, name, version, known } = one;
    const { declared } = version;
    const text = JSON.stringify(declared);
    if (!known)
      yield* ask(sql`insert into oms_kept_versions (type, name, state, declaration, number)
        values (${type}, ${name}, 'current', ${text}, 0)`);
    else if (isOther(one)) {
      yield* version.renewAll(context);
      const isForOthers = !isSameJson(known.declared.told, declared.told);
      const isWithheld = version.isWithheld && (isForOthers || known.state === 'withheld');
      const state: State = isWithheld ? 'withheld' : 'current';
      yield* ask(sql`update oms_kept_versions
        set state = ${state}, declaration = ${text}, number = ${yield* nextNumber()} where ${isOf({ type, name })}`);
    }
  }
  return namesOfOther(all);
}

/** All of it has been made anew. */
export function* complete(named: KeptName): Work<void> {
  yield* ask(sql`update oms_kept_versions set state = 'current' where ${isOf(named)}`);
}

/** Selects the types with something that is withheld. */
export const WITHHELD_TYPES = sql`select type from oms_kept_versions where state = 'withheld'`;
