import { createScriptServer } from '../shared/shopify/storefront-requests/serve-script.ts';

/** The texts of the widget by language, put in when the function is bundled. */
declare const WIDGET_SCRIPTS: Readonly<Record<string, string>>;

export default createScriptServer(WIDGET_SCRIPTS);
