import type { Core } from '@strapi/strapi';
import type { Clock } from '../../../core/clock';

/** The clock of a running Strapi: that of the machine, unless the start was given another one (`boot/boot.ts`). */
export const clockOf = (strapi: Core.Strapi): Clock =>
  strapi.config.get<Clock>('oms.clock', Date.now);
