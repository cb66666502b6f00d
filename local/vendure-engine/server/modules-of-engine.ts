import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The server and the plugin find the engine's packages, which are not in this project's own folder. */
const engine = pathToFileURL(`${process.env.VENDURE_FOLDER}/package.json`).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isPackage = /^@?[a-z]/.test(specifier) && !/^(node|file|data):/.test(specifier);
    const isOurs = context.parentURL?.includes('/node_modules/') === false;
    return nextResolve(
      specifier,
      isPackage && isOurs ? { ...context, parentURL: engine } : context,
    );
  },
});
