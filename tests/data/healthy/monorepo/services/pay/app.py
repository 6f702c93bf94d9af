"""Started by uvicorn from the platform's image."""

import uvicorn
from pay.main import app

if __name__ == "__main__":
    uvicorn.run(app, host="0.0.0.0", port=7002, timeout_keep_alive=5, timeout_graceful_shutdown=10)
