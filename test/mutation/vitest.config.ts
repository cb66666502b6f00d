import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { readPlan } from './state.ts';

const { files } = readPlan();
const folders = Object.keys(files).map((file) =>
  file.slice(PACKAGE_FOLDER.length).replace(/^\/shared\/|\/[^/]*$/g, ''),
);

/** First the tests of the same folder, which find most. */
class NearestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const isNear = ({ moduleId }: TestSpecification) =>
      folders.some((folder) => moduleId.includes(`/${folder}/`));
    return [
      ...specifications.filter(isNear),
      ...specifications.filter((one) => !isNear(one)).toReversed(),
    ];
  }
}

/** The unit tests, on code with mutants in it. */
export default defineConfig({
  root: PACKAGE_FOLDER,
  plugins: [{ name: 'planted', enforce: 'pre', transform: (_, id) => files[id] }],
  test: {
    include: ['test/unit/**/*.test.ts'],
    isolate: false,
    runner: 'test/mutation/runner.ts',
    testTimeout: 180_000,
    setupFiles: 'test/mutation/setup.ts',
    env: { TZ: 'America/St_Johns' },
    sequence: { sequencer: NearestFirst },
    reporters: ['dot'],
  },
});
