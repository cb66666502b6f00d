/** The text of the widget, put in when the function is bundled. */
declare const WIDGET_SCRIPT: string;

export default WIDGET_SCRIPT;
