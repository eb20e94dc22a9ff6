/** By whose means a caller sees an object exactly: the holders of the relations of `views.exact`. */
import { ALWAYS, NEVER } from '../database/sql';
import type { Resource } from '../declare/completed';
import type { Level, MemberRole, RelationScope } from '../declare/relations';
import { DEFAULT_SITE } from '../site/settings';

/** What of an object decides over the marks of its words. */
export interface Holders {
  /** Fields with a user. */
  readonly users: readonly string[];
  /** Lists of orgs. */
  readonly orgs: readonly string[];
  /** The values of fields with one of which a claim counts. */
  readonly claims: readonly Readonly<Record<string, string>>[];
}

/** What is found while relations are passed. */
export interface Passed {
  readonly user: (field: string) => void;
  readonly collaborators: (field: string, levels: readonly Level[]) => void;
  readonly members: (field: string, roles: readonly MemberRole[]) => void;
  readonly claim: (values: Readonly<Record<string, string>>) => void;
}

/** @returns null of a relation that no mark stands for */
export const scopeFor = (passed: Passed): RelationScope => ({
  alias: 'o',
  column: () => ALWAYS,
  isCaller(field) {
    passed.user(field);
    return ALWAYS;
  },
  collaborates(field, levels) {
    passed.collaborators(field, levels);
    return ALWAYS;
  },
  isMember(field, roles) {
    passed.members(field, roles);
    return ALWAYS;
  },
  isClaimed(use, values) {
    if (use !== 'access') return null;
    passed.claim(values);
    return ALWAYS;
  },
  through: () => null,
  isInside: () => NEVER,
  isTold: () => ALWAYS,
  isUntold: () => null,
  privacy: DEFAULT_SITE,
});

/** @returns null where a relation of who sees objects exactly has no marks */
export function holdersOf({ views, relations, fields }: Resource): Holders | null {
  const [users, orgs] = [new Set<string>(), new Set<string>()];
  const claims: Readonly<Record<string, string>>[] = [];
  let found = 0;
  const scope = scopeFor({
    user: (field) => (found = users.add(field).size),
    collaborators: (field) => (found = users.add(field).size),
    members: (field) => (found = orgs.add(field).size),
    claim: (values) => (found = claims.push(values)),
  });
  const names = new Set(
    Object.values(views?.exact ?? {})
      .flat()
      .flatMap(({ relation }) => relation ?? []),
  );
  for (const name of names) {
    found = 0;
    if (!relations.get(name)?.(scope) || found === 0) return null;
  }
  const isUser = (name: string): boolean => fields.get(name)?.to === 'user';
  const isList = (name: string): boolean => (fields.get(name)?.link ?? null) !== null;
  const isKnown = [...users].every(isUser) && [...orgs].every(isList);
  return isKnown ? { users: [...users], orgs: [...orgs], claims } : null;
}
