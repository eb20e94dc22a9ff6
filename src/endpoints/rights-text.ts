/** Rows of a table of rights in words, for the documents. */
import { ROLES, type Role } from '../core/caller';
import { isForEverybody, type RightsRow } from '../plugins/objects/server/declare/row';
import { SWITCHES } from '../plugins/objects/server/site/switches';

/** The text of a row for one role: `yes`, `no`, or the relations. */
export function rightsText(row: RightsRow, role: Role): string {
  const clauses = row[role].map(({ relation, when }) => {
    const what = relation ?? 'yes';
    return when === null ? what : `${what}, if ${SWITCHES[when].text}`;
  });
  return clauses.length === 0 ? 'no' : clauses.join('; ');
}

const NAMES: Readonly<Record<Role, string>> = {
  anonymous: 'without an account',
  user: 'users',
  moderator: 'moderators',
  administrator: 'administrators',
};

/** A row as a sentence: who may make a call, and for which relation to the object. */
export function rightsSentence(row: RightsRow): string {
  if (isForEverybody(row)) return 'Rights: everybody.';
  const byText = new Map<string, string[]>();
  for (const role of ROLES) {
    const text = rightsText(row, role);
    if (text !== 'no') byText.set(text, [...(byText.get(text) ?? []), NAMES[role]]);
  }
  const parts = [...byText].map(([text, roles]) => {
    const who = roles.join(' and ').replace(/ and (?=.* and )/g, ', ');
    if (text === 'yes') return who;
    return text.startsWith('yes, ') ? `${who}${text.slice(3)}` : `${who} (${text})`;
  });
  return `Rights: ${parts.length === 0 ? 'nobody' : parts.join('; ')}.`;
}
