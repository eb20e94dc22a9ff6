/** The plugin `accounts`: who asks, and what they may do. */
import type { Core } from '@strapi/strapi';
import { anonymous, type Caller, type Role } from './caller';

export interface Accounts {
  /** Who asks. What no session has is nobody: until there are accounts, everybody. */
  readonly identify: () => Caller;
}

/** The accounts of a running Strapi. */
export const accountsOf = (strapi: Core.Strapi): Accounts =>
  strapi.plugin('accounts').service('accounts');

export default {
  services: {
    accounts: ({ strapi }: { strapi: Core.Strapi }): Accounts => {
      const caller = anonymous(strapi.config.get<Role>('oms.anonymousActsAs', 'anonymous'));
      return { identify: () => caller };
    },
  },
};
