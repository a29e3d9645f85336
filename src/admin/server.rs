//! A small HTTP server on loopback.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

/// What OpenMetrics text is called.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Why the admin port cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be bound.
    #[error(
        "cannot listen on {address}: {source}; is another engine running? Choose another \
             address with --listen or admin.listen"
    )]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The server's thread or runtime cannot be had.
    #[error("cannot start the admin server: {0}")]
    Start(#[from] io::Error),
}

/// A running admin server; it serves until the process ends.
#[derive(Debug)]
pub struct AdminServer {
    address: SocketAddr,
}

impl AdminServer {
    /// Binds `address` and serves `registry` on it. Port 0 takes any free port.
    ///
    /// # Errors
    /// [`ServeError`] when the address is taken or no thread can be had.
    pub fn start(address: SocketAddr, registry: Registry) -> Result<Self, ServeError> {
        let listener = TcpListener::bind(address)
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .map_err(|source| ServeError::Bind { address, source })?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let routes = routes(Arc::new(registry));
        thread::Builder::new().name("admin".into()).spawn(move || {
            let served = runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                axum::serve(listener, routes).await
            });
            if let Err(error) = served {
                tracing::error!("the admin server ended: {error}");
            }
        })?;
        Ok(Self { address })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn routes(registry: Arc<Registry>) -> Router {
    Router::new()
        .route("/", get(|| async { "Freshlane admin: /metrics\n" }))
        .route("/metrics", get(metrics))
        .with_state(registry)
}

async fn metrics(State(registry): State<Arc<Registry>>) -> Response {
    let mut body = String::new();
    match encode(&mut body, &registry) {
        Ok(()) => ([(CONTENT_TYPE, OPENMETRICS)], body).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}
