/** The plugin `panel` in the browser: inputs and pages of our own, reviews, and their texts. */
import { createElement, type ComponentType } from 'react';
import type { StrapiApp } from '@strapi/strapi/admin';
import { Eye } from '@strapi/icons';
import { InvitationPanel, noteInvitations } from './accounts/invitation-panel';
import { ConflictPanel } from './conflict/conflict-panel';
import { JsonInput, PasswordInput } from './inputs/adapted';
import { ChoiceInput, ChoiceText } from './inputs/choice-input';
import { NumberInput } from './inputs/number-input';
import { HiddenPanel } from './hidden/hidden-panel';
import { UncoveredPanel } from './hidden/uncovered-panel';
import { bulkReviews } from './review/bulk-review';
import type { ContentManager } from './review/content-manager';
import { ReviewPanel } from './review/review-panel';
import { knowHints, translateHints } from './seams/form-hints';
import { divideForms } from './seams/form-sections';
import { showValues } from './seams/list-cells';
import { clearUnchosen } from './seams/relation-picker';
import { replaceRoutes } from './seams/routes';
import { hideSettings } from './seams/settings-link';
import { SectionHeading, SectionPreview, SectionsPanel } from './settings/sections';
import { loadTexts } from './translations/load';

/** The inputs that `schema.json` names (`plugin::panel.regions`); each is loaded when a form needs it. */
const INPUTS: Readonly<Record<string, () => Promise<{ readonly default: ComponentType<never> }>>> =
  {
    localized: () => import('./inputs/localized-input'),
    texts: () => import('./inputs/texts-input'),
    regions: () => import('./inputs/regions-input'),
    notes: () => import('./inputs/notes-input'),
    paths: () => import('./inputs/paths-input'),
    names: () => import('./inputs/names-input'),
    relationships: () => import('./inputs/relationships-input'),
    measurements: () => import('./inputs/measurements-input'),
    'custom-fields': () => import('./inputs/custom-fields-input'),
  };

/** In place of Strapi's own inputs, by the types of attributes; the form gives them their props. */
const REPLACED = {
  float: NumberInput,
  decimal: NumberInput,
  integer: NumberInput,
  enumeration: ChoiceInput,
  password: PasswordInput,
  json: JsonInput,
};

export default {
  register(app: StrapiApp) {
    app.addMiddlewares([hideSettings, noteInvitations]);
    replaceRoutes(app, {
      home: () => import('./pages/home'),
      profile: () => import('./profile/profile-page'),
    });
    translateHints(app);
    divideForms(app, { heading: SectionHeading, preview: SectionPreview });
    showValues(app, (value, attribute, uid) =>
      createElement(ChoiceText, { value, attribute, uid }),
    );
    clearUnchosen(document);
    app.addMenuLink({
      to: 'review',
      icon: Eye,
      position: 1,
      intlLabel: { id: 'panel.reviews.title', defaultMessage: 'Review' },
      // Who may not see it does not see its link.
      permissions: [{ action: 'plugin::panel.review', subject: 'api::encounter.encounter' }],
      Component: () => import('./pages/review'),
    });
    app.addFields(
      Object.entries(REPLACED).map(([type, Component]) => ({
        type,
        Component: Component as unknown as ComponentType,
      })),
    );
    app.customFields.register(
      Object.entries(INPUTS).map(([name, Input]) => ({
        name,
        pluginId: 'panel',
        type: 'json',
        intlLabel: { id: `panel.input.${name}`, defaultMessage: name },
        intlDescription: { id: `panel.input.${name}.about`, defaultMessage: name },
        components: { Input: Input as unknown as () => Promise<{ default: ComponentType }> },
      })),
    );
  },

  bootstrap(app: Pick<StrapiApp, 'getPlugin'>) {
    const apis = app.getPlugin('content-manager').apis as unknown as ContentManager;
    apis.addEditViewSidePanel([
      ConflictPanel,
      SectionsPanel,
      ReviewPanel,
      HiddenPanel,
      UncoveredPanel,
      InvitationPanel,
    ]);
    // What is done most comes first, and what cannot be taken back comes last.
    apis.addBulkAction((actions) => [...bulkReviews, ...actions]);
  },

  registerTrads({ locales }: { readonly locales: readonly string[] }) {
    return Promise.all(
      locales.map(async (locale) => {
        const { texts, hints } = await loadTexts(locale);
        knowHints(locale, hints);
        return { locale, data: texts };
      }),
    );
  },
};
