//! The configuration as its users meet it: texts in, a validated configuration or problems out.

#[cfg(test)]
mod accepted;
#[cfg(test)]
mod cross_checks;
#[cfg(test)]
mod files;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod readme;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod text;
