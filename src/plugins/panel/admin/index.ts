/** The plugin `panel` in the browser: inputs of our own, and their texts. */
import type { ComponentType } from 'react';
import type { StrapiApp } from '@strapi/strapi/admin';
import { NumberInput } from './inputs/number-input';
import en from './translations/en.json';
import es from './translations/es.json';
import fr from './translations/fr.json';

const TEXTS: Readonly<Record<string, Record<string, string>>> = { en, es, fr };

export default {
  register(app: StrapiApp) {
    // By the types of attributes, in place of Strapi's own inputs; the form gives them their props.
    const Component = NumberInput as unknown as ComponentType;
    const types = ['float', 'decimal', 'integer'];
    app.addFields(types.map((type) => ({ type, Component })));
  },

  registerTrads({ locales }: { readonly locales: readonly string[] }) {
    return Promise.resolve(locales.map((locale) => ({ locale, data: TEXTS[locale] ?? {} })));
  },
};
