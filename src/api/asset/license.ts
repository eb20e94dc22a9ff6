/** Licenses by their addresses, in the form that GBIF recognizes (https://www.gbif.org/terms). */
export const LICENSE = {
  term: 'license',
  vocabulary: {
    'CC0-1.0': 'http://creativecommons.org/publicdomain/zero/1.0/legalcode',
    'CC-BY-4.0': 'http://creativecommons.org/licenses/by/4.0/legalcode',
    'CC-BY-NC-4.0': 'http://creativecommons.org/licenses/by-nc/4.0/legalcode',
  },
};
