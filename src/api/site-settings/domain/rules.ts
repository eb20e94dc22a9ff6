import { issue, type Expected } from '../../../core/errors';
import type { Rule } from '../../../plugins/objects/server/declare/behavior';
import type { Use } from '../uses';

/** What the preparation of a change of the settings has found out. */
export interface SettingsFindings {
  /** Fields whose value comes from the environment, and that the change would give another one. */
  readonly fixed?: readonly string[];
  /** Names of `media` whose assets the caller may not attach, or that do not exist. */
  readonly missing?: readonly string[];
  /** What the change takes away, and records still use. */
  readonly uses?: readonly Use[];
}

/** The default language is one that the instance offers. */
export const isOneOfLanguages: Rule = {
  fields: ['languages', 'default_language'],
  *check({ languages, default_language: byDefault }) {
    const allowed = languages as readonly string[];
    return allowed.some((tag) => tag === byDefault)
      ? []
      : [issue('default_language', 'NOT_ONE_OF', { allowed })];
  },
};

/** The assets of `media` exist, and are the caller's to attach. */
export const mediaExist: Rule = {
  fields: ['media'],
  *check(_, { findings }) {
    const { missing = [] } = findings as SettingsFindings;
    return missing.map((name) => issue(`media.${name}`, 'NO_SUCH', { type: 'asset' }));
  },
};

/** What records use stays; what the environment says comes before what is stored. */
export const keepsWhatCounts: Rule = {
  fields: [],
  *check(_, { findings }) {
    const { fixed = [], uses = [] } = findings as SettingsFindings;
    return [
      ...fixed.map((name) => issue(name, 'NOT_WRITABLE', {})),
      ...uses.map(({ path, type, count }) => issue(path, 'IN_USE', { type, count })),
    ];
  },
};

/** The links of mails are put together behind the address: it has no query and no fragment. */
export const rejectQuery = (url: string): Expected | null =>
  /[?#]/.test(url) ? 'plain_url' : null;
