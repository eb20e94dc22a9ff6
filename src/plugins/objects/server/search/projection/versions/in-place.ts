/**
 * What is kept in place has no table for each version: where a start finds that other code has made it, it is made anew where it
 * is, beside the service. Until then it is read as it is; what was made for other readers is withheld.
 */
import { sql } from '../../../database/sql';
import { ask, type Work } from '../../../database/work';
import type { KeptContext } from '../../../declare/behavior';
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
interface Named {
  readonly type: string;
  readonly name: string;
}

const isOf = ({ type, name }: Named) => sql`type = ${type} and name = ${name}`;

/** Compares all that is declared with what the database was filled by. Where there is a difference, all of it is left to be made anew. */
export function* registerInPlace(resources: Resources, context: KeptContext): Work<void> {
  const stored = new Map(
    (yield* ask(sql`select type, name, state, declaration from oms_kept_versions`)).map(
      ([type, name, state, declaration]) => [
        `${String(type)} ${String(name)}`,
        { state, declared: JSON.parse(String(declaration)) as KeptDeclaration },
      ],
    ),
  );
  for (const { kept } of resources.values())
    for (const { of: type, name, version } of kept) {
      if (!version) continue;
      const { declared } = version;
      const text = JSON.stringify(declared);
      const known = stored.get(`${type} ${name}`);
      // Of before there were versions: the same code has made it.
      if (!known)
        yield* ask(sql`insert into oms_kept_versions (type, name, state, declaration, number)
          values (${type}, ${name}, 'current', ${text}, 0)`);
      else if (!isSameJson(known.declared, declared)) {
        yield* version.renewAll(context);
        const isForOthers = !isSameJson(known.declared.told, declared.told);
        const isWithheld = version.isWithheld && (isForOthers || known.state === 'withheld');
        const state: State = isWithheld ? 'withheld' : 'current';
        yield* ask(sql`update oms_kept_versions
          set state = ${state}, declaration = ${text}, number = ${yield* nextNumber()} where ${isOf({ type, name })}`);
      }
    }
}

/** All of it has been made anew. */
export function* complete(named: Named): Work<void> {
  yield* ask(sql`update oms_kept_versions set state = 'current' where ${isOf(named)}`);
}

/** Selects the types with something that is withheld. */
export const WITHHELD_TYPES = sql`select type from oms_kept_versions where state = 'withheld'`;
