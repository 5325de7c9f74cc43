/**
 * `import '@hookline/vite-plugin/hooks'` says where the page gets its installed hooks: the plugin replaces this module by one
 * that has them. In Node it stays empty, because the trainer finds them itself there.
 */
export {};
