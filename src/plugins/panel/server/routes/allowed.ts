/** The routes of the panel that are open, and to whom. All others are closed, to operators too. */

import type { Who } from './who';

/** By method and path, as Strapi mounts them: open to anyone, or the lowest role that may call the route. */
export const ALLOWED: Readonly<Record<string, Who | 'anyone'>> = {
  // The files of the panel, and those of `public`.
  'GET /admin/:path*': 'anyone',
  'GET /': 'anyone',
  'GET /((?!uploads/).+)': 'anyone',

  // Sign-in, and the requests of its page.
  'GET /admin/init': 'anyone',
  'GET /admin/project-type': 'anyone',
  'POST /admin/login': 'anyone',
  'POST /admin/access-token': 'anyone',
  'POST /admin/forgot-password': 'anyone',
  'POST /admin/reset-password': 'anyone',
  'GET /admin/registration-info': 'anyone',
  'POST /admin/register': 'anyone',
  'POST /admin/logout': 'moderator',

  // The user's own profile.
  'GET /admin/users/me': 'moderator',
  'PUT /admin/users/me': 'moderator',
  'GET /admin/users/me/permissions': 'moderator',
  'GET /admin/users/me/sessions': 'moderator',
  'DELETE /admin/users/me/sessions': 'moderator',
  'DELETE /admin/users/me/sessions/:sessionId': 'moderator',
  'POST /admin/permissions/check': 'moderator',

  // The requests of every page of the panel.
  'GET /admin/information': 'moderator',
  'GET /admin/telemetry-properties': 'moderator',
  'GET /admin/ai-feature-config': 'moderator',
  'GET /admin/homepage/key-statistics': 'moderator',
  'GET /admin/homepage/layout': 'moderator',
  'PUT /admin/homepage/layout': 'moderator',
  'GET /i18n/locales': 'moderator',
  'GET /i18n/settings': 'moderator',
  'GET /i18n/ai-localization-jobs/collection-types/:contentType/:documentId': 'moderator',
  'GET /i18n/ai-localization-jobs/single-types/:contentType': 'moderator',

  // Records.
  'GET /content-manager/init': 'moderator',
  'GET /content-manager/content-types': 'moderator',
  'GET /content-manager/content-types-settings': 'moderator',
  'GET /content-manager/content-types/:uid/configuration': 'moderator',
  'GET /content-manager/components': 'moderator',
  'GET /content-manager/components/:uid/configuration': 'moderator',
  'GET /content-manager/homepage/recent-documents': 'moderator',
  'GET /content-manager/homepage/count-documents': 'moderator',
  'GET /content-manager/relations/:model/:targetField': 'moderator',
  'GET /content-manager/relations/:model/:id/:targetField': 'moderator',
  'GET /content-manager/preview/url/:contentType': 'moderator',
  'GET /content-manager/collection-types/:model': 'moderator',
  'POST /content-manager/collection-types/:model': 'moderator',
  'GET /content-manager/collection-types/:model/:id': 'moderator',
  'PUT /content-manager/collection-types/:model/:id': 'moderator',
  'DELETE /content-manager/collection-types/:model/:id': 'moderator',
  'POST /content-manager/collection-types/:model/actions/bulkDelete': 'moderator',
  'GET /panel/review/:model': 'moderator',
  'POST /panel/review/:model': 'moderator',
  'GET /panel/hidden': 'administrator',
  'GET /panel/hidden/change': 'administrator',

  // What the panel's own pages call.
  'GET /panel/api/search/:type': 'moderator',
  'GET /panel/api/asset/:id/file': 'moderator',
  'GET /panel/api/:type/:id': 'moderator',
  'GET /panel/api/:type/:id/history': 'moderator',
  'GET /panel/api/site_settings': 'moderator',
  'POST /panel/api/batch': 'moderator',
  'GET /panel/home/waiting': 'moderator',
  'GET /panel/home/changes': 'moderator',
  'GET /panel/home/installation': 'administrator',
  'POST /panel/home/test-mail': 'administrator',
  'GET /panel/map-tiles': 'moderator',
  'GET /panel/second-looks': 'moderator',
  'PUT /panel/second-looks/:id': 'moderator',
  'DELETE /panel/second-looks/:id': 'moderator',

  // The settings of the site.
  'GET /content-manager/single-types/:model': 'administrator',
  'PUT /content-manager/single-types/:model': 'administrator',

  // Strapi's settings, for operators.
  'PUT /content-manager/content-types/:uid/configuration': 'operator',
  'PUT /content-manager/components/:uid/configuration': 'operator',
  'GET /admin/project-settings': 'moderator',
  'POST /admin/project-settings': 'operator',
  'GET /admin/permissions': 'operator',
  'POST /admin/users': 'operator',
  'GET /admin/users': 'operator',
  'GET /admin/users/:id': 'operator',
  'PUT /admin/users/:id': 'operator',
  'DELETE /admin/users/:id': 'operator',
  'POST /admin/users/batch-delete': 'operator',
  'GET /admin/roles': 'operator',
  'POST /admin/roles': 'operator',
  'GET /admin/roles/:id': 'operator',
  'PUT /admin/roles/:id': 'operator',
  'DELETE /admin/roles/:id': 'operator',
  'POST /admin/roles/batch-delete': 'operator',
  'GET /admin/roles/:id/permissions': 'operator',
  'PUT /admin/roles/:id/permissions': 'operator',
};
