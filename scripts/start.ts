import { boot } from '../src/boot/boot';
import { run, useProduction } from '../src/boot/run';

useProduction();
void run(() => boot());
