# SPDX-License-Identifier: BSD-3-Clause
"""A real browser for tests: Chromium without a window, driven by selenium."""

import contextlib
import shutil
import tempfile

import pytest

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"),
)


@contextlib.contextmanager
def browser():
    """Start Chromium with a fresh profile; skip the test where there is none."""
    selenium = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    helper = shutil.which("chromedriver")
    if program is None or helper is None:
        pytest.skip(
            "chromium is not installed (Debian: apt-get install chromium "
            "chromium-driver)"
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = selenium.ChromeOptions()
        options.binary_location = program
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = selenium.Chrome(options=options, service=Service(helper))
        try:
            yield driver
        finally:
            driver.quit()


def resize(driver, width, height):
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": width < 600,
        },
    )


def prefer(driver, scheme):
    """Say what the reader prefers: "light" or "dark"."""
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )


def complaints(driver):
    """Give what the console says; it should be nothing."""
    return [entry["message"] for entry in driver.get_log("browser")]
