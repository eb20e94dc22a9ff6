/**
 * The floors of the house (docs/architecture.md) and the absence of circles, types included. `npm run lint` holds them.
 */

/** Each floor with those that it may import; nothing else of ours. */
const FLOORS = {
  '^src/core/': [],
  '^src/plugins/wire/': ['^src/core/'],
  '^src/plugins/objects/': ['^src/core/'],
  '^src/plugins/accounts/': ['^src/core/', '^src/plugins/(objects|wire)/'],
  '^src/plugins/assets/': ['^src/core/', '^src/plugins/(objects|wire|accounts)/'],
  '^src/plugins/exchange/': ['^src/core/', '^src/plugins/(objects|assets)/'],
  '^src/plugins/panel/': ['^src/core/', '^src/plugins/(objects|wire|accounts)/'],
  '^src/endpoints/': ['^src/core/', '^src/plugins/(objects|wire)/'],
  '^src/api/': ['^src/core/', '^src/plugins/', '^src/endpoints/'],
};

const OURS = '^(src|config|scripts|bench|database|tests)/';

const floors = Object.entries(FLOORS).map(([floor, below]) => ({
  name: `floor ${floor.slice(1, -1)}`,
  comment: 'An arrow runs up, or to the side.',
  severity: 'error',
  from: { path: floor },
  to: { path: OURS, pathNot: [floor, ...below, '^public/'] },
}));

/** The floors inside a folder, the lowest first: each may import those below it. */
const INNER = {
  '^src/plugins/objects/server/': [
    ...['database/', 'jobs/', 'site/', 'declare/', 'kinds/', 'validate/', 'define/', 'rights/'],
    ...['read/', 'write/', 'history/', 'search/'],
  ],
  '^src/plugins/objects/server/search/': [
    ...['projection/', 'language/', 'conditions/', 'memory', 'plan/', 'execute/', 'suggest/'],
  ],
};

const inner = Object.entries(INNER).flatMap(([folder, names]) =>
  names.map((name, at) => ({
    name: `floor ${folder.slice(1)}${name}`,
    comment: 'An arrow runs up.',
    severity: 'error',
    from: { path: `${folder}${name}`, pathNot: '\\.test\\.ts$' },
    to: { path: folder, pathNot: names.slice(0, at + 1).map((below) => `${folder}${below}`) },
  })),
);

module.exports = {
  forbidden: [
    {
      name: 'no circle',
      comment: 'Types included: what two files need of each other belongs into a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...floors,
    ...inner,
    {
      name: 'plain domain',
      comment: 'The rules of a type know nothing of Strapi.',
      severity: 'error',
      from: { path: '/domain/', pathNot: '\\.test\\.ts$' },
      to: { path: '@strapi' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|types)/' },
  },
};
