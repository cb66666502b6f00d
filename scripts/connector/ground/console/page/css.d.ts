// esbuild takes styles out of the script, into page.css.
declare module '*.css';
