import { readEnvironment } from '../src/boot/environment';
import { databaseConnection } from '../src/boot/database';

export default () => ({
  connection: databaseConnection(readEnvironment().database),
  settings: {
    // On by default, and then an attribute that is removed takes its column and the data in it along.
    forceMigration: false,
    useTypescriptMigrations: true,
  },
});
