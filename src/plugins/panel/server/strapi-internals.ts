/**
 * What of Strapi's admin is replaced, and by which handle: the services and controllers that its
 * sign-in, its profile page and its user settings ask. The tests named `panel-...` fail when one of
 * them moves.
 */
import type { Core } from '@strapi/strapi';
import type { Context as KoaContext } from 'koa';

/** A request of the panel. */
export type PanelContext = KoaContext & {
  readonly request: { readonly body?: unknown };
  /** After Strapi's authentication. */
  readonly state: { readonly user?: PanelUser; readonly session?: { readonly id: string } };
  notFound(): void;
};

/** A row of Strapi's `admin::user`. */
export interface PanelUser {
  readonly id: number;
  readonly email: string;
  readonly password: string | null;
  readonly isActive: boolean | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly username: string | null;
}

/** What Passport is told: an error, whom it is, or why it is nobody. */
export type Checked = [unknown, (PanelUser | false)?, { readonly message: string }?];

/** `admin::auth` */
export interface AuthService {
  checkCredentials(given: { email: unknown; password: unknown }): Promise<Checked>;
  hashPassword(password: string): Promise<string>;
  validatePassword(password: string, hash: string): Promise<boolean>;
  forgotPassword(given: { email: string }): Promise<unknown>;
}

/** `admin::user` */
export interface UserService {
  updateById(id: unknown, attributes: object): Promise<unknown>;
  deleteById(id: unknown): Promise<unknown>;
  deleteByIds(ids: unknown[]): Promise<unknown>;
  sanitizeUser(user: unknown): object;
}

/** `admin::role` */
export interface RoleService {
  displayWarningIfNoSuperAdmin(): Promise<void>;
  assignPermissions(role: number, permissions: readonly Permission[]): Promise<unknown>;
}

/** What a panel role may do. */
export interface Permission {
  readonly action: string;
  readonly subject: string;
  readonly properties: { readonly fields?: readonly string[] };
}

type Action = (ctx: PanelContext) => Promise<unknown>;
export type Controller<Names extends string> = Record<Names, Action>;

interface Registry {
  extend<T extends object>(uid: string, change: (current: T) => T): void;
}

/** Replaces functions of a service of Strapi's. In `register`: who asks for it later gets these. */
export function replaceService<T extends object>(
  strapi: Core.Strapi,
  uid: string,
  change: (current: T) => Partial<T>,
): void {
  replace(strapi.get<Registry>('services'), uid, change);
}

/** Replaces actions of a controller of Strapi's. In `register`: the routes are bound after it. */
export function replaceController<T extends object>(
  strapi: Core.Strapi,
  uid: string,
  change: (current: T) => Partial<T>,
): void {
  replace(strapi.get<Registry>('controllers'), uid, change);
}

function replace<T extends object>(
  registry: Registry,
  uid: string,
  change: (current: T) => Partial<T>,
): void {
  registry.extend<T>(uid, (current) => {
    const changed = change(current);
    const missing = Object.keys(changed).filter((name) => !(name in current));
    if (missing.length > 0) throw new Error(`${uid} has no ${missing.join(', ')} to be replaced`);
    return { ...current, ...changed };
  });
}

/** The request that is being answered, undefined outside of one. */
export const requestOf = (strapi: Core.Strapi): PanelContext | undefined =>
  strapi.requestContext.get() as unknown as PanelContext | undefined;
