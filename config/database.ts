import { readEnvironment } from '../src/boot/environment';
import { databaseConnection } from '../src/boot/database';

export default () => ({
  connection: databaseConnection(readEnvironment()),
  settings: {
    // With the default, removing an attribute drops its column with the data.
    forceMigration: false,
    // For `strapi develop`; the service finds them without it (`boot/migrations.ts`).
    useTypescriptMigrations: true,
  },
});
