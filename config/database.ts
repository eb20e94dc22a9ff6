import { readEnvironment } from '../src/boot/environment';
import { databaseConnection } from '../src/boot/database';

export default () => ({
  connection: databaseConnection(readEnvironment().database),
  settings: {
    // With the default, removing an attribute drops its column with the data.
    forceMigration: false,
    useTypescriptMigrations: true,
  },
});
