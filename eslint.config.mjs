import tseslint from 'typescript-eslint';

/** The projects that are linted, and whose types `scripts/lint.mjs` checks. */
export const PROJECTS = [
  './tests/tsconfig.json',
  './tests/client/tsconfig.json',
  './src/admin/tsconfig.json',
  './clients/typescript/tsconfig.json',
];

/** The kinds of values, without those whose names other unions have, too. */
const KINDS =
  /^(?:id|uuid|email|url|country|language|choice|number|integer|boolean|time|instant|localized|texts|languages|origins|measurements|individualNames|textsByTerm|customFields|customFieldDefinitions|region|regions|jsonObject|reference|references|relationships|paths|renditions|secret)$/;

/** Type-aware everywhere; `any`, `@ts-ignore` and forgotten promises are errors, not warnings. */
export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      '.strapi/',
      '.data*/',
      'types/generated/',
      'clients/typescript/src/api.ts',
      'node_modules/',
      'coverage/',
    ],
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: PROJECTS,
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-ignore': true, 'ts-expect-error': true, 'ts-nocheck': true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}', 'config/**/*.ts', 'scripts/**/*.ts', 'clients/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: { complexity: ['error', 20], 'max-lines': ['error', { max: 300 }] },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/plugins/objects/server/kinds/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...["[left.name='kind']", "[left.property.name='kind']"].map((left) => ({
          selector: `BinaryExpression[operator=/^[!=]==$/]${left}[right.value=${KINDS}]`,
          message: 'What a kind can do is asked of kinds/traits.ts or kinds/kind.ts.',
        })),
      ],
    },
  },
  {
    files: ['tests/**/*.ts', '**/*.test.ts'],
    rules: { 'max-lines': ['error', { max: 500 }] },
  },
);
