module "web" {
  source           = "../modules/web"
  idle_timeout     = 300
  app_keep_alive   = 310
  stop_timeout     = 120
  deregister_delay = 300
}
