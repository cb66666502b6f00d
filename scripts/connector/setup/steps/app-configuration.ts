import { relative } from 'node:path';
import { type AppFolder, foreignIn, readAppFolder, requireClientId } from '../../app/app-folder.ts';
import { releaseCommand, writeFolder } from '../../app/write-app.ts';
import { type ShopSetup, titleOf } from '../shop-setup.ts';
import { done, left, open, type Step } from '../step.ts';

/**
 * The folder that Shopify's command line releases. The compliance topics and the extensions come in no other way,
 * and the Admin API does not show whether they did: the folder is all that can be compared.
 */
export function appConfigurationStep(setup: ShopSetup): Step {
  const { world, deployment, shop } = setup;
  const read = () => readAppFolder(deployment, shop, {});
  const nameOf = ({ folder }: AppFolder) => relative(process.cwd(), folder);
  const release = (found: AppFolder) =>
    `Release it with Shopify's command line: ${releaseCommand(nameOf(found))}`;
  return {
    title: titleOf(setup, 'Folder of the app'),
    async look() {
      const found = await read();
      return isWritten(found)
        ? done(
            `${nameOf(found)} is written. ${release(found)}; whether that was done cannot be read`,
          )
        : open(
            'The app proxy, the extensions and the requests about personal data come with its folder.',
          );
    },
    async act() {
      const found = await read();
      requireClientId(found);
      const question = `Replace the files of ${nameOf(found)}, which this command did not write?`;
      if (foreignIn(found).length > 0 && !(await world.agrees(question))) {
        const next =
          'Rename the folder and run the command again: it writes another, to compare both.';
        return left(`${nameOf(found)} is not as the settings need it.`, next);
      }
      writeFolder(found);
      return left(`${nameOf(found)} is written, and not yet released.`, release(found));
    },
  };
}

function isWritten({ wanted, written }: AppFolder): boolean {
  return [...wanted].every(([path, contents]) => {
    const found = written.get(path);
    return found !== undefined && Buffer.compare(found, contents) === 0;
  });
}
