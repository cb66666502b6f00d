import { createScriptServer } from '../shared/shopify/storefront-requests/serve-script.ts';

/** The text of the widget, put in when the function is bundled. */
declare const WIDGET_SCRIPT: string;

export default createScriptServer(WIDGET_SCRIPT);
