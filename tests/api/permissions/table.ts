/**
 * Who may do what, as section 6 of the contract has it, said a second time: the declarations say which cells there have
 * to be (`missingCells`), and only this table what is in them.
 *
 * A row is a caller: a role, and what it is to the object; a column is an action. `read-open` is the action with the
 * switch `open` of the site turned off, `create+reports` with `reports` turned on. `-` is no cell: what an object is to
 * the caller is nothing to a create.
 */
import { ROLES, type Role } from '#app/core/caller';
import type { Resources } from '#app/plugins/objects/server/declare/completed';
import type { RightsRow } from '#app/plugins/objects/server/declare/row';
import { isSwitch, type SwitchName } from '#app/plugins/objects/server/site/switches';

const TABLE: Readonly<Record<string, string>> = {
  encounter: `
                        create create+reports read read-open update delete review claim history
    anonymous           401    200            402  401       401    401    401    401   401
    user                200    200            402  402       402    402    402    402   402
    moderator           200    200            200  200       200    200    200    403   200
    administrator       200    200            200  200       200    200    200    403   200
    anonymous approved  -      -              200  401       401    401    401    401   401
    anonymous claimant  -      -              200  200       401    401    401    401   401
    anonymous reporter  -      -              200  200       401    401    401    401   401
    anonymous adopter   -      -              402  402       401    401    401    401   401
    user own            -      -              200  200       200    200    409    403   200
    user resubmitter    -      -              200  200       200    200    200    403   200
    user approved       -      -              200  200       403    403    403    403   403
    user claimant       -      -              200  200       403    403    403    403   403
    user reporter       -      -              200  200       403    403    403    403   403
    user adopter        -      -              402  402       402    402    402    200   402
    user viewer         -      -              200  200       403    403    403    403   403
    user editor         -      -              200  200       200    200    403    403   403
    user member         -      -              200  200       403    403    403    403   403
    user manager        -      -              200  200       403    403    403    403   403
    user applicant      -      -              402  402       402    402    402    402   402
    moderator adopter   -      -              200  200       200    200    200    200   200
    administrator adopter -    -              200  200       200    200    200    200   200`,
  individual: `
                        create read read-open update delete history merge
    anonymous           401    402  401       401    401    401     401
    user                200    402  402       402    402    402     402
    moderator           200    200  200       200    200    200     200
    administrator       200    200  200       200    200    200     200
    anonymous told      -      200  401       401    401    401     401
    anonymous witness   -      200  401       401    401    401     401
    user told           -      200  200       403    403    403     403
    user own            -      200  200       200    200    200     200
    user viewer         -      200  200       403    403    403     403
    user editor         -      200  200       200    200    403     403
    user member         -      200  200       403    403    403     403
    user manager        -      200  200       403    403    403     403
    user witness        -      200  200       403    403    403     403`,
  asset: `
                        create create+reports read read-open update delete original history
    anonymous           401    200            402  402       401    401    402      401
    user                200    200            402  402       402    402    402      402
    moderator           200    200            200  200       200    200    200      200
    administrator       200    200            200  200       200    200    200      200
    anonymous claimant  -      -              200  200       200    200    webp     401
    anonymous referrer  -      -              200  402       401    401    webp     401
    anonymous pictured  -      -              200  402       401    401    webp     401
    anonymous face      -      -              200  200       401    401    webp     401
    anonymous logo      -      -              200  200       401    401    webp     401
    anonymous site      -      -              200  200       401    401    webp     401
    user own            -      -              200  200       200    200    200      200
    user viewer         -      -              402  402       402    402    402      402
    user editor         -      -              200  200       200    200    webp     403
    user claimant       -      -              200  200       200    200    webp     403
    user referrer       -      -              200  200       403    403    webp     403
    user pictured       -      -              200  200       403    403    webp     403
    user face           -      -              200  200       403    403    webp     403
    user logo           -      -              200  200       403    403    webp     403
    user site           -      -              200  200       403    403    webp     403`,
  org: `
                           create read update delete join leave member history
    anonymous              401    200  401    401    401  401   401    401
    user                   200    200  403    403    200  409   403    403
    moderator              200    200  200    200    200  409   200    200
    administrator          200    200  200    200    200  409   200    200
    user outsider          -      200  403    403    200  409   403    403
    user applicant         -      200  403    403    409  200   403    403
    user leaver            -      200  403    403    409  200   403    403
    user own               -      200  200    200    409  200   200    200
    user owner             -      200  200    200    409  409   200    200
    moderator outsider     -      200  200    200    200  409   200    200
    moderator leaver       -      200  200    200    409  200   200    200
    administrator outsider -      200  200    200    200  409   200    200
    administrator leaver   -      200  200    200    409  200   200    200`,
  collaboration: `
                        create read update history
    anonymous           401    401  401    401
    user                200    402  402    402
    moderator           200    200  403    200
    administrator       200    200  403    200
    user open           -      402  402    402
    user party          -      200  200    200
    user asked          -      200  200    200
    user decided        -      200  409    200
    moderator open      -      200  403    200
    moderator party     -      200  200    200
    administrator open  -      200  403    200
    administrator party -      200  200    200`,
  taxonomy: `
                        create read update delete history
    anonymous           401    200  401    401    401
    user                403    200  403    403    403
    moderator           200    200  200    200    200
    administrator       200    200  200    200    200`,
  user: `
                        create create-registration read update delete history
    anonymous           200    closed              200  401    401    401
    user                200    closed              200  403    403    403
    moderator           200    closed              200  403    403    200
    administrator       200    200                 200  200    200    200
    user own            -      -                   200  200    403    200
    user other          -      -                   200  403    403    403
    moderator own       -      -                   200  200    403    200`,
  site_settings: `
                        read update
    anonymous           200  401
    user                200  403
    moderator           200  403
    administrator       200  200`,
};

/** What is answered: a status, or a word where that does not tell it (`cells.ts`). */
export type Outcome = string;

/** A caller, and what it may do. */
export interface CallerRow {
  readonly type: string;
  readonly role: Role;
  /** What the caller is to the object: a relation of the type, or something that is none; empty for nothing. */
  readonly standing: string;
  /** By the column. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** An action, and the switch that is the other way than by default. */
export interface Column {
  readonly action: string;
  readonly turned: { readonly name: SwitchName; readonly isOn: boolean } | null;
}

const NO_CELL = '-';

/** The switches that are on by default. */
const ON_BY_DEFAULT: ReadonlySet<SwitchName> = new Set(['open', 'registration']);

const words = (line: string): string[] => line.trim().split(/\s+/);

export const ROWS: readonly CallerRow[] = Object.entries(TABLE).flatMap(([type, text]) => {
  const [head = '', ...lines] = text.trim().split('\n');
  const columns = words(head);
  return lines.map((line): CallerRow => {
    const cells = words(line);
    const [role, standing = ''] = cells.splice(0, cells.length - columns.length);
    const outcomes = new Map(columns.map((column, at) => [column, cells[at] ?? NO_CELL]));
    for (const [column, outcome] of outcomes) if (outcome === NO_CELL) outcomes.delete(column);
    return { type, role: role as Role, standing, outcomes };
  });
});

/** What a column says. @throws RangeError for a switch that there is none of */
export function parseColumn(column: string): Column {
  const [, action = column, sign, name = ''] = /^(\w+)([+-])(\w+)$/.exec(column) ?? [];
  if (sign === undefined) return { action, turned: null };
  if (!isSwitch(name)) throw new RangeError(column);
  return { action, turned: { name, isOn: sign === '+' } };
}

/**
 * The cells that the declarations ask for and the table does not have: for each type each action that there is a call
 * for, with and without the switches of its row, by each role, by a user with each relation of the type, and by each
 * role with each relation that a row names for it.
 *
 * @param hasCall whether there is a call for an action of a type
 */
export const missingCells = (
  resources: Resources,
  hasCall: (type: string, action: string) => boolean,
): string[] =>
  [...resources].flatMap(([type, { rights, offered, relations }]) => {
    const rows = [...rights.values(), ...offered.values()];
    const named = (role: Role): string[] =>
      rows.flatMap((row) => row[role].flatMap(({ relation }) => relation ?? []));
    const standingsOf = (role: Role): Set<string> =>
      new Set(['', ...(role === 'user' ? relations.keys() : []), ...named(role)]);
    const columns = [...rights]
      .filter(([action]) => hasCall(type, action))
      .flatMap(([action, row]) => columnsOf(action, row));
    return ROLES.flatMap((role) => [...standingsOf(role)].map((standing) => ({ role, standing })))
      .flatMap(({ role, standing }) =>
        columns
          .filter((column) => standing === '' || parseColumn(column).action !== 'create')
          .map((column) => ({ type, role, standing, column })),
      )
      .filter((cell) => !hasCell(cell))
      .map(({ role, standing, column }) => `${type}: ${column} by ${role} ${standing}`.trim());
  });

function columnsOf(action: string, row: RightsRow): string[] {
  const switches = ROLES.flatMap((role) => row[role].flatMap(({ when }) => when ?? []));
  return [
    action,
    ...[...new Set(switches)].map(
      (name) => `${action}${ON_BY_DEFAULT.has(name) ? '-' : '+'}${name}`,
    ),
  ];
}

const hasCell = (cell: Pick<CallerRow, 'type' | 'role' | 'standing'> & { column: string }) =>
  ROWS.some(
    ({ type, role, standing, outcomes }) =>
      type === cell.type &&
      role === cell.role &&
      standing === cell.standing &&
      outcomes.has(cell.column),
  );
