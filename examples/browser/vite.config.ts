import { hookline } from '@hookline/vite-plugin';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [hookline()],
  build: { target: 'es2022', chunkSizeWarningLimit: 2000 },
  preview: { port: 4180 },
});
