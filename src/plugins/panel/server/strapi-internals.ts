/**
 * The internals of Strapi's admin that are used or replaced: services and controllers of its sign-in, profile page and
 * user settings. The tests named `panel-...` fail when one of them changes.
 */
import type { Core } from '@strapi/strapi';
import type { Context as KoaContext } from 'koa';

/** A request of the panel. */
export type PanelContext = KoaContext & {
  readonly request: { readonly body?: unknown };
  /** Set by Strapi's authentication. */
  readonly state: {
    readonly user?: PanelUser;
    readonly session?: { readonly id: string };
    /** The user's permissions, for Strapi's permission checkers. */
    readonly userAbility?: unknown;
  };
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
  /** The user who is signed in. */
  readonly roles?: readonly { readonly code: string }[];
}

/** The result for Passport: an error, the user, or the reason of a refusal. */
export type PassportResult = [unknown, (PanelUser | false)?, { readonly message: string }?];

/** `admin::auth` */
export interface AuthService {
  checkCredentials(given: { email: unknown; password: unknown }): Promise<PassportResult>;
  hashPassword(password: string): Promise<string>;
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

/** The permissions of a panel role. */
export interface Permission {
  readonly action: string;
  readonly subject: string;
  readonly properties: { readonly fields?: readonly string[] };
}

/** A permission that Strapi's roles may have for documents of some types. */
interface PermissionAction {
  readonly section: 'contentTypes';
  readonly displayName: string;
  readonly uid: string;
  readonly pluginName: string;
  readonly subjects: readonly string[];
}

/** `admin::permission` */
interface PermissionService {
  readonly actionProvider: {
    registerMany(actions: readonly PermissionAction[]): Promise<unknown>;
  };
}

/** Where plugins register permissions. */
export const permissionActions = (strapi: Core.Strapi): PermissionService['actionProvider'] =>
  (strapi.service('admin::permission') as unknown as PermissionService).actionProvider;

/** `admin::content-type` */
interface ContentTypeService {
  getNestedFields(model: unknown, options: object): string[];
}

/** The fields of a type that permissions distinguish; those of components as dotted paths. */
export function permissionFields(strapi: Core.Strapi, uid: string): string[] {
  const types = strapi.service('admin::content-type') as unknown as ContentTypeService;
  const { components } = strapi;
  return types.getNestedFields(strapi.contentType(uid as never), { components });
}

/** `plugin::content-manager.permission-checker` */
export interface PermissionCheckers {
  create(of: { userAbility: unknown; model: string }): {
    readonly can: { read(entity: null, field?: string): boolean };
    /** One or several documents without the fields that their reader may not see. */
    sanitizeOutput(document: unknown, options?: object): Promise<unknown>;
  };
}

/** Whether a user may read documents of a type, or one of their fields. */
export function canRead(
  strapi: Core.Strapi,
  { userAbility }: PanelContext['state'],
  model: string,
): (field?: string) => boolean {
  const checkers = strapi
    .plugin('content-manager')
    .service<PermissionCheckers>('permission-checker');
  const { can } = checkers.create({ userAbility, model });
  return (field) => can.read(null, field);
}

/** How a form shows an attribute. */
export interface FormField {
  readonly label: string;
  readonly description: string;
  readonly editable: boolean;
}

/** The inputs of a row of a form, by their attributes. */
export type FormRow = readonly { readonly name: string; readonly size: number }[];

export interface FormConfiguration {
  readonly layouts: { readonly edit: readonly FormRow[] };
  readonly metadatas: Readonly<
    Record<string, { readonly edit: FormField; readonly list: ListColumn }>
  >;
}

/** How a list shows an attribute. */
export interface ListColumn {
  /** Whether its header sorts the list. */
  readonly sortable: boolean;
}

/** `plugin::content-manager.content-types` */
interface ContentTypeConfigurations {
  findConfiguration(type: { readonly uid: string }): Promise<FormConfiguration>;
  updateConfiguration(
    type: { readonly uid: string },
    configuration: FormConfiguration,
  ): Promise<unknown>;
}

/** Where the content manager keeps how its lists and forms look. */
export const contentTypeConfigurations = (strapi: Core.Strapi): ContentTypeConfigurations =>
  strapi.plugin('content-manager').service<ContentTypeConfigurations>('content-types');

/** `plugin::content-manager.relations`: what the inputs of relations ask for. */
export interface RelationsController {
  /** Answers what may be linked. */
  findAvailable(ctx: PanelContext): Promise<unknown>;
  /** Checks who asks, and says what the input shows. @param id of the document that the form is of */
  extractAndValidateRequestInfo(
    ctx: PanelContext,
    id: string | undefined,
  ): Promise<{
    readonly entryId: number | null;
    readonly fieldsToSelect: readonly string[];
    readonly mainField: string;
    readonly sourceSchema: { readonly uid: string };
    readonly targetField: string;
  }>;
}

/** The type that an attribute of a type refers to. */
export function targetOf(strapi: Core.Strapi, uid: string, attribute: string): string | undefined {
  const model = strapi.contentTypes[uid as never] as
    { readonly attributes: Readonly<Record<string, { readonly target?: string }>> } | undefined;
  return model?.attributes[attribute]?.target;
}

/** The rows that a relation of a row is linked to. */
export async function linkedRows(
  strapi: Core.Strapi,
  uid: string,
  id: number,
  relation: string,
): Promise<readonly number[]> {
  const row = (await strapi.db.query(uid).findOne({
    where: { id },
    select: ['id'],
    populate: { [relation]: { select: ['id'] } },
  })) as Readonly<Record<string, unknown>> | null;
  const linked = [row?.[relation] ?? []].flat() as unknown as readonly { readonly id: number }[];
  return linked.map((one) => one.id);
}

/** Attributes of documents, as the inputs of relations show them. */
export function documentsByIds(
  strapi: Core.Strapi,
  uid: string,
  fields: readonly string[],
  ids: readonly string[],
): Promise<readonly { readonly documentId: string }[]> {
  const select = ['id', ...fields];
  return strapi.db.query(uid).findMany({ select, where: { documentId: { $in: [...ids] } } });
}

type Action = (ctx: PanelContext) => Promise<unknown>;
export type Controller<Names extends string> = Record<Names, Action>;

interface Registry {
  extend<T extends object>(uid: string, change: (current: T) => T): void;
}

/** Replaces functions of a service of Strapi. To be called in `register`, before the service is used. */
export function replaceService<T extends object>(
  strapi: Core.Strapi,
  uid: string,
  change: (current: T) => Partial<T>,
): void {
  replace(strapi.get<Registry>('services'), uid, change);
}

/** Replaces actions of a controller of Strapi. To be called in `register`, before the routes are bound. */
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

/** The current request, undefined outside of one. */
export const requestOf = (strapi: Core.Strapi): PanelContext | undefined =>
  strapi.requestContext.get() as unknown as PanelContext | undefined;
