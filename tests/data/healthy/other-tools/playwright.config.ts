import { defineConfig } from "@playwright/test";

export default defineConfig({
  timeout: 30_000,
  globalTimeout: 20 * 60 * 1000,
  expect: { timeout: 5000 },
  use: { actionTimeout: 0, navigationTimeout: 60_000 },
  webServer: { command: "npm start", port: 3000, timeout: 120 * 1000, reuseExistingServer: true },
});
