import { createScriptServer } from '../shared/shopify/storefront-requests/serve-script.ts';

/** The texts of the widget by language, as JSON, put in when the function is bundled. */
declare const WIDGET_SCRIPTS: string;

export default createScriptServer(JSON.parse(WIDGET_SCRIPTS));
