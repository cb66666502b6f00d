import { describePlugin } from './suite.ts';

describePlugin(
  'sql.js',
  async () => ({ type: 'sqljs' }),
  () => {},
  'its database is in the memory of one',
);
